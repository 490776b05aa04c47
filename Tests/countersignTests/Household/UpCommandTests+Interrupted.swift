import Encodings
import Foundation
import Phone
import TestSupport
import Testing

extension UpCommandTests {
    @Test(
        "a phone that gets no vault after the pairing says which device to remove at the broker",
        .timeLimit(.minutes(3)))
    func interruptedAfterPairing() async throws {
        let (broker, phone) = (try HouseholdProcess(), try HouseholdProcess())
        let (serving, line) = try await startBroker(broker)
        // The vault cannot be made while another program has the phone.
        let home = phone.data.appending(path: "phone", directoryHint: .isDirectory)
        let unknown = try await phone.run(["up", "--no-open"] + options(line.replacing(/^\d+/, with: "9999"), broker))
        #expect(unknown.status == 1, "\(unknown)")
        do {
            let claim = try PhoneHome(home).claim()
            defer { withExtendedLifetime(claim) {} }
            let interrupted = try await phone.run(["up", "--no-open"] + options(line, broker))
            #expect(interrupted.status == 1 && interrupted.errors.contains("devices remove"), "\(interrupted)")
        }
        let listed = try JSONReader.read(try await broker.run("devices", "list", "--json").output)
        let id = try #require(listed["devices"]?.arrayValue?.first?["device_id"]?.stringValue, "\(listed)")

        let without = try await phone.run(["up", "--no-open", "--json"])
        #expect(without.status == 2 && without.output.contains("countersign devices remove \(id)"), "\(without)")
        #expect(try await broker.run("devices", "remove", id).status == 0)
        let (pairing, uri) = try await pair(broker)
        let (page, events) = try await phone.start(options(uri, broker), until: "ready")
        #expect(events["device"]?["message"]?.stringValue?.contains(id) == true, "\(events)")
        #expect(try await pairing.status() == 0)
        let config = try String(contentsOf: phone.config, encoding: .utf8)
        #expect(!config.contains("pending_devices"), "\(config)")
        for program in [page, serving] {
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
        }
    }
}
