import Encodings
import Foundation
import Phone
import PhoneStore
import TestSupport
import Testing

extension UpCommandTests {
    @Test("the status marks a bank that waits for its owner's yes, until it has that", .timeLimit(.minutes(3)))
    func unconnected() async throws {
        let own = try OwnBankHousehold()
        try own.accept(
            "my-bank",
            text: try String(contentsOf: Repository.file("BankScripts/ReadyBanks/monzo.yaml"), encoding: .utf8)
                .replacing("bank: monzo", with: "bank: my-bank"))
        try Data(#"{"client_id": "robin", "client_secret": "never sent"}"#.utf8).write(to: own.credentials)
        let (program, events) = try await own.firstStart()
        #expect(events["connect"]?["message"]?.stringValue?.contains("countersign phone banks connect my-bank") == true)
        let waiting = try await own.household.run("status")
        #expect(waiting.status == 1, "\(waiting)")
        #expect(
            waiting.output.contains(
                "✗ bank    my-bank, not connected yet; run countersign phone banks connect my-bank\n"), "\(waiting)")
        try await OwnBankHousehold.stop(program)
        let store = try PhoneDatabase(
            PhoneHome(own.household.data.appending(path: "phone", directoryHint: .isDirectory)))
        try await store.store(StoredConsent(bankID: "my-bank", endsAt: Date().addingTimeInterval(90 * 86_400)))
        let connected = try await own.household.run("status")
        #expect(connected.output.contains("✓ bank    my-bank\n"), "\(connected)")
    }
}
