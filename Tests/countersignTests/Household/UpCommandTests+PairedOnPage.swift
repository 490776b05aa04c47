import Encodings
import Foundation
import TestSupport
import Testing

extension UpCommandTests {
    @Test(
        "pairs another phone on its page, with the same words on both sides; a page that ends leaves no pairing open",
        .timeLimit(.minutes(3)))
    func pairedOnPage() async throws {
        let (program, events) = try await household.up()
        let owner = try await OwnerOnPage(events, household)
        let phone = try HouseholdProcess()
        let (line, place) = try await owner.beginPairing()
        let inbox = household.data.appending(path: "inbox").path
        let (other, told) = try await phone.start(
            ["--phone-only", line, "--bank", "mock", "--inbox", inbox], until: "words")
        let message = try #require(told["words"]?["message"]?.stringValue)
        let words = try await owner.confirmPairing(at: place)
        #expect(message.hasSuffix(": \(words)") && words.split(separator: " ").count == 4, "\(message) and \(words)")
        try await owner.awaitPairing("Paired: ", at: place)
        _ = try await phone.events(of: other, until: "ready")
        let devices = try await household.run("devices", "list", "--json")
        #expect(try JSONReader.read(devices.output)["devices"]?.arrayValue?.count == 2, "\(devices)")

        _ = try await owner.beginPairing()
        #expect(try await endings() == 0)
        await owner.leave()
        for program in [other, program] {
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
        }
        let end = ContinuousClock.now + .seconds(60)
        while try await endings() == 0 {
            try #require(ContinuousClock.now < end, "the pairing is still open")
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Returns how many pairings of the broker have ended without a device.
    private func endings() async throws -> Int {
        let log = try await household.run("broker", "audit", "--json")
        return log.output.components(separatedBy: "pairing.ended").count - 1
    }
}
