import Testing

@testable import Automation

@Suite("The count of what was sent")
struct SubmissionLedgerTests {
    private let password = SubmissionLedger.Item.credential("password")

    @Test("has what a page sends ahead of its step once, with the last character of a code")
    func ahead() throws {
        let ledger = SubmissionLedger { _ in 1 }
        try ledger.leave(with: password)
        ledger.type([password])
        #expect(try ledger.sendTyped() == [password])
        #expect(ledger.hasSent)
        // The step sends it as well, which is once more.
        #expect(throws: RunFailure.self) { try ledger.leave(with: password) }
    }

    @Test("has each exchange after another page is open")
    func afterPage() throws {
        let ledger = SubmissionLedger { _ in 1 }
        try ledger.leave(with: password)
        ledger.turnPage()
        ledger.type([password])
        #expect(throws: RunFailure.self) { _ = try ledger.sendTyped() }
    }

    @Test("has the exchange of a step once, and takes it back where the step did not act")
    func announced() throws {
        let ledger = SubmissionLedger { _ in 1 }
        ledger.type([password])
        let sent = try ledger.sendTyped()
        ledger.takeBack(sent)
        #expect(!ledger.hasSent)
        _ = try ledger.sendTyped()
        try ledger.leave(with: password)
        #expect(throws: RunFailure.self) { try ledger.leave(with: password) }
    }
}
