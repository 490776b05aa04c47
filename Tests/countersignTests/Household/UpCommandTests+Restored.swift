import Encodings
import Foundation
import TestSupport
import Testing

extension UpCommandTests {
    @Test(
        "a household's broker that was lost comes back from a backup, and the phone stays paired",
        .timeLimit(.minutes(3)))
    func restored() async throws {
        let (first, _) = try await household.up()
        let asked = try await household.run("request", "2026-01", "--json")
        let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue, "\(asked)")
        let backup = household.home.appending(path: "backup")
        let passphrase = household.home.appending(path: "backup.passphrase")
        try Data("words that open this backup\n".utf8).write(to: passphrase)
        let made = try await household.run(
            "broker", "backup", "--all", "--passphrase-file", passphrase.path, backup.path)
        #expect(made.status == 0 && made.output.contains("1 requests"), "\(made)")
        first.signal(SIGTERM)
        #expect(try await first.status() == 0)

        for part in [
            household.config, household.data.appending(path: "broker"), household.data.appending(path: "agent.token"),
        ] { try FileManager.default.removeItem(at: part) }
        #expect(try await household.run("status").errors.contains("countersign up"), "the household is lost")
        let restored = try await household.run(
            "broker", "restore", "--passphrase-file", passphrase.path, backup.path)
        #expect(restored.status == 0 && restored.output.contains("The audit log is whole"), "\(restored)")
        let again = try await household.run(
            "broker", "restore", "--passphrase-file", passphrase.path, backup.path)
        #expect(again.status == 1 && again.errors.contains("exists already"), "\(again)")

        let (second, events) = try await household.up()
        #expect(events["paired"] == nil, "the phone stays paired")
        #expect(try await household.run("requests").output.contains(id))
        #expect(try await household.status().status == 0)
        second.signal(SIGTERM)
        #expect(try await second.status() == 0)
    }

    @Test("a household is restored into another person's home, and starts there", .timeLimit(.minutes(3)))
    func restoredElsewhere() async throws {
        let (program, _) = try await household.up()
        let backup = household.home.appending(path: "backup")
        #expect(try await household.run("broker", "backup", "--all", "--plain", backup.path).status == 0)
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
        let other = try HouseholdProcess()
        let restored = try await other.run("broker", "restore", "--plain", backup.path)
        #expect(restored.status == 0, "\(restored)")
        let file = try JSONReader.read(Data(contentsOf: other.config))
        #expect(file["broker"]?["database"]?.stringValue == other.data.appending(path: "broker/broker.sqlite").path)
        #expect(file["agent"]?["token_file"]?.stringValue == other.data.appending(path: "agent.token").path)
        #expect(try await other.run("agent", "list").status == 0)
        // The phone stays with the first home: this one is set up anew, in folders that the backup did not hold.
        let (again, events) = try await other.up()
        #expect(events["paired"] != nil)
        again.signal(SIGTERM)
        #expect(try await again.status() == 0)
    }
}
