import Archive
import Encodings
import Foundation
import MockBank
import TestSupport
import Testing

/// The files of older and newer versions, with the program of now.
@Suite("Upgrades", .timeLimit(.minutes(3)))
struct UpgradeTests {
    @Test("broker and phone go on with a home of version 0.1.0")
    func goesOn() async throws {
        let home = try UpgradedHome()
        var configuration = MockBankConfiguration()
        configuration.acceptsCode = { $0.count == 6 }
        let bank = try await MockBankServer.start(configuration)
        try await home.serving {
            // The undecided request has waited too long meanwhile.
            #expect(try await home.statuses() == [1: "COMPLETED", 2: "DENIED", 3: "EXPIRED"])
            let audit = try await home.run(["broker", "audit", "verify"])
            #expect(audit.status == 0 && audit.output.contains("unbroken"), "\(audit)")
            let tokens = try await home.run(["totp", "list"] + home.options)
            #expect(tokens.status == 0 && tokens.output.contains("Meridian Savings"), "\(tokens)")
            let log = try await home.run(["phone", "audit", "verify", "--home", home.phone.path])
            #expect(log.status == 0, "\(log)")

            // The broker has another address and another inbox now; credentials and token are the old ones.
            try await pair(home)
            let asked = try await home.run(["request", "2026-04", "--agent-request-id", "april", "--json"])
            let id = try #require(try JSONReader.read(asked.output)["request_id"]?.stringValue, "\(asked)")
            let approved = try await home.run(["approve", id, "--bank-at", bank.url] + home.options)
            #expect(
                approved.status == 0 && approved.output.contains("statement for 2026-04, as \(id)"),
                "\(approved)")
            let waited = try await home.run(["request", "2026-04", "--agent-request-id", "april", "--wait"])
            #expect(waited.status == 0, "\(waited)")
            #expect(try await home.statuses()[4] == "COMPLETED")
        }
        await bank.stop()
    }

    private func pair(_ home: UpgradedHome) async throws {
        let invitation = try Program(["pair", "--yes", "--json"], environment: home.environment)
        let end = ContinuousClock.now + .seconds(60)
        while !invitation.printed.contains("\n") {
            try #require(ContinuousClock.now < end, "\(invitation.errors)")
            try await Task.sleep(for: .milliseconds(20))
        }
        let line = try #require(invitation.printed.split(separator: "\n").first)
        let uri = try #require(try JSONReader.read(String(line))["uri"]?.stringValue)
        let paired = try await home.run(
            ["phone", "pair", uri, "--name", "Tablet", "--inbox", home.inbox.path] + home.options)
        #expect(paired.status == 0, "\(paired)")
        #expect(try await invitation.status() == 0, "\(invitation.errors)")
    }

    @Test("a database that a newer version has written is refused with what to do, and stays as it is")
    func newer() async throws {
        let home = try UpgradedHome()
        let archive = home.root.appending(path: "archive", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: false)
        try DocumentArchive(root: archive).close()
        let index = archive.appending(path: DocumentArchive.indexPath)
        let refused: [(database: URL, command: [String])] = [
            (home.database, ["broker", "serve", "--no-telegram"]), (home.database, ["agent", "list"]),
            (home.database, ["broker", "backup", "--all", "--plain", home.root.appending(path: "copy").path]),
            (home.phoneDatabase, ["phone", "pending"] + home.options),
            (index, ["archive", "list", "--archive", archive.path]),
        ]
        for database in Set(refused.map(\.database)) { try await UpgradedHome.makeNewer(database) }
        for (database, command) in refused {
            let before = try await UpgradedHome.content(of: database)
            let outcome = try await home.run(command)
            #expect(outcome.status == 1, "\(command): \(outcome)")
            #expect(
                outcome.errors.contains("\(database.path) was written by a newer version of countersign")
                    && outcome.errors.contains("install that version again, or restore a backup"),
                "\(command): \(outcome)")
            #expect(try await UpgradedHome.content(of: database) == before, "\(command) changed the database")
        }
    }
}
