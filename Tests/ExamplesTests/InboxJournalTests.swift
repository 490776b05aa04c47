import Automation
import BankScript
import Foundation
import Inbox
import InboxJournal
import KeyVault
import Messages
import Phone
import Secrets
import TestParties
import TestSupport
import Testing

@Suite("The example of an inbox", .timeLimit(.minutes(3)))
struct InboxJournalTests {
    @Test("is around the standard one on both sides, from the approval to the broker's copy")
    func bothSides() async throws {
        let stage = try BrokerStage()
        let journal = stage.root.appending(path: "journal.txt")
        let inbox = NamedInbox("journal", InboxJournal(file: journal))
        try await stage.run(inboxes: [inbox]) { stage in
            let home = PhoneHome(
                stage.root.appending(path: "phone", directoryHint: .isDirectory), scrypt: .cheapForTests)
            let connection = try PhoneConnection(
                brokerURL: stage.url, token: Secret(BrokerStage.phoneToken),
                sharedSecret: Secret("a shared secret of more than thirty-two bytes"), inbox: stage.inbox.path)
            try await PhoneSetup(
                home: home, connection: connection, bankID: "default",
                credentials: ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")]
            ).apply(passphrase: TestPhone.passphrase)
            let engine = ScriptedEngine()
            var services = PhoneServices(
                scripts: ScriptRegistry([TestPhone.script]), person: AbsentOwner(), engine: { _ in engine })
            services.inboxes = [inbox]
            let runner = try PhoneRunner(home: home, connection: connection, services: services)
            let id = try await stage.request()
            let request = try #require(try await runner.refresh().pending.first)
            let outcome = try await runner.approve(request, with: PassphraseVerification(TestPhone.passphrase))
            #expect(outcome == .completed(filename: "\(id)-jan-2026.pdf"))
            #expect(try await BrokerStage.waitForEnd(of: id, on: stage) == .completed)
            let lines = try String(contentsOf: journal, encoding: .utf8)
            #expect(lines == "the broker looks\n\(id)-jan-2026.pdf is delivered\n")
        }
    }
}
