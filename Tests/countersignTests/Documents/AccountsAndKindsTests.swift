import BankScript
import Clocks
import Foundation
import KeyVault
import Messages
import MockBank
import PhoneStore
import TestSupport
import Testing

@testable import Phone

/// Requests for documents of several accounts and kinds through a real broker, phone, folder and bank.
@Suite("Several accounts and kinds with one approval", .timeLimit(.minutes(3)))
struct AccountsAndKindsTests {
    private static func everyKind() throws -> BankScript {
        try BankScript(
            yaml: String(
                contentsOf: Repository.file("BankScripts/DefaultBank/Variants/every-kind.yaml"), encoding: .utf8),
            file: "every-kind.yaml")
    }

    private static func alias(_ text: String) throws -> AccountAlias { try #require(AccountAlias(text)) }

    /// The months before this one, oldest first.
    private static func months(_ count: Int) throws -> (from: MonthYear, to: MonthYear) {
        let last = try #require(MonthYear.current(at: Date(), in: .gmt).previous)
        var first = last
        for _ in 1..<count { first = try #require(first.previous) }
        return (first, last)
    }

    private static func running(_ body: @escaping @Sendable (BothSides) async throws -> Void) async throws {
        try await BothSides.running(in: .everyKind, running: try everyKind()) { both in
            _ = try await both.phone.refresh()
            try await body(both)
        }
    }

    private static func ask(
        _ months: Int, _ kinds: [DocumentKind], of accounts: [AccountAlias] = [], _ both: BothSides
    ) async throws -> RequestSummary {
        let (from, to) = try Self.months(months)
        let wanted = DocumentsRequest(from: from, to: to, kinds: kinds, accounts: accounts)
        return try #require(RequestSummary(json: try await both.agent.requestDocuments(wanted).json))
    }

    private static func end(_ id: RequestID, of both: BothSides) async throws -> RequestSummary {
        try await both.until { try await both.status(id).isTerminal }
        return try #require(RequestSummary(json: try await both.agent.request(id).json))
    }

    /// Makes a first visit, after which the phone knows the accounts.
    private static func learnAccounts(_ both: BothSides) async throws {
        let first = try await ask(1, [.pdf], both)
        _ = try await both.approve(first.id)
        _ = try await end(first.id, of: both)
        _ = try await both.phone.refresh()
    }

    @Test("24 months of two accounts in two kinds: one approval, one sign-in, and 96 right files")
    func ninetySix() async throws {
        try await Self.running { both in
            try await Self.learnAccounts(both)
            let before = both.signIns.count
            let accounts = [try Self.alias("Everyday Account"), try Self.alias("Holiday Pot")]
            let asked = try await Self.ask(24, [.pdf, .camt], of: accounts, both)
            let shown = try await both.shown(asked.id)
            #expect(shown.documents?.accounts == accounts && shown.documents?.kinds == [.camt, .pdf])
            #expect(try await both.approve(asked.id) == .delivered(documents: 96, of: 96))
            let documents = try #require(try await Self.end(asked.id, of: both).documents)
            #expect(documents.count == 96)
            for document in documents {
                let path = try #require(document.filePath)
                #expect(path.hasSuffix("." + document.kind.fileExtension))
                let wanted = MockBankServer.file(
                    account: document.account == accounts[0] ? "everyday" : "holiday", month: document.period.month,
                    year: document.period.year, as: document.kind.rawValue)
                #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == wanted)
            }
            #expect(both.signIns.count == before + 1)
            try await both.until { both.inboxNames().isEmpty }

            let again = try await Self.ask(24, [.pdf, .camt], of: accounts, both)
            #expect(again.status == .completed, "everything is there, so nothing waits for an approval")
        }
    }

    @Test("agents see aliases and kinds, and never the bank's names once the person has chosen others")
    func offers() async throws {
        try await Self.running { both in
            var bank = try #require(try await both.agent.banks().first)
            #expect(try bank.kinds == Self.everyKind().kinds.sorted())
            #expect(bank.accounts.isEmpty)
            try await Self.learnAccounts(both)
            bank = try #require(try await both.agent.banks().first)
            let (everyday, fun) = (try Self.alias("Everyday Account"), try Self.alias("Fun"))
            #expect(bank.accounts.map(\.description) == ["Everyday Account", "Holiday Pot", "Rainy Day Savings"])
            try await both.phone.store.rename(try Self.alias("Holiday Pot"), to: fun, ofBank: "default")
            await #expect { try await both.phone.store.rename(fun, to: everyday, ofBank: "default") } throws: {
                "\($0)".contains("another account of this bank is called “Everyday Account”")
            }
            await #expect {
                try await both.phone.store.rename(try Self.alias("None"), to: fun, ofBank: "default")
            } throws: {
                "\($0)".contains("has no account “None”; its accounts are Everyday Account, Fun, Rainy Day Savings")
            }
            _ = try await both.phone.refresh()
            #expect(try await both.agent.banks().first?.accounts.contains(fun) == true)

            let asked = try await Self.ask(2, [.csv], of: [fun], both)
            #expect(try await both.approve(asked.id) == .delivered(documents: 2, of: 2))
            let ended = try await Self.end(asked.id, of: both)
            #expect(ended.documents?.map(\.account) == [fun, fun])
            // A visit does not take the alias back.
            #expect(try await both.phone.store.accounts(ofBank: "default").first { $0.alias == fun }?.isChosen == true)
        }
    }

    @Test("a request without accounts means all of them, and what is there is left out one by one")
    func rest() async throws {
        try await Self.running { both in
            try await Self.learnAccounts(both)
            let holiday = try Self.alias("Holiday Pot")
            let first = try await Self.ask(1, [.csv], of: [holiday], both)
            #expect(try await both.approve(first.id) == .delivered(documents: 1, of: 1))
            _ = try await Self.end(first.id, of: both)

            let all = try await Self.ask(1, [.csv, .qif], both)
            let shown = try #require(try await both.shown(all.id).documents)
            #expect(shown.count == 5 && shown.exceptions.map(\.kind) == [.csv])
            #expect(shown.exceptions.map(\.account) == [holiday])
            guard case .delivered(let count, 5) = try await both.approve(all.id) else {
                Issue.record("the run did not deliver")
                return
            }
            let documents = try #require(try await Self.end(all.id, of: both).documents)
            #expect(documents.count == 6)
            // The savings account has gaps: its month is there or has its reason.
            #expect(documents.count { $0.filePath != nil } == count + 1)
            #expect(documents.allSatisfy { ($0.filePath == nil) == ($0.errorCode != nil) })
        }
    }

    @Test("a file that is not of its kind is refused by the broker, and the others stay")
    func wrongKind() async throws {
        try await Self.running { both in
            let asked = try await Self.ask(2, [.csv], both)
            let items = try #require(try await both.shown(asked.id).documents).items(ofBank: "default")
            _ = try await both.phone.broker.call { (client) async throws(PhoneError) in
                try await client.decide(asked.id, .approve, approval: nil, decisionID: Nonce(), at: Date())
            }
            // A phone that was taken over signs what it likes.
            for (index, bytes) in ["a;b\n1;2\n", "<html><script>1</script></html>"].enumerated() {
                let file = both.home.appending(path: "file-\(index)")
                try Data(bytes.utf8).write(to: file)
                try await both.phone.broker.publisher.publish(
                    document: file, .init(items[index], number: index + 1, of: 2), for: asked.id, at: Date())
            }
            try await both.until { both.inboxNames().isEmpty }
            let documents = try #require(RequestSummary(json: try await both.agent.request(asked.id).json)?.documents)
            #expect(documents.map { $0.filePath != nil } == [true, false])
        }
    }
}
