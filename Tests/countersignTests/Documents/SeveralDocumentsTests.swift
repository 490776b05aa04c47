import Clocks
import Encodings
import Foundation
import Inbox
import KeyVault
import Messages
import MockBank
import PhoneStore
import Secrets
import Signer
import Testing

@testable import Phone

/// Requests for several documents through a real broker, phone, folder and bank.
@Suite("Several documents with one approval", .timeLimit(.minutes(3)))
struct SeveralDocumentsTests {
    private static func months(_ count: Int) throws -> (from: MonthYear, to: MonthYear) {
        let last = try #require(MonthYear.current(at: Date(), in: .gmt).previous)
        var first = last
        for _ in 1..<count { first = try #require(first.previous) }
        return (first, last)
    }

    private static func ask(
        _ count: Int, of both: BothSides, refetching: Bool = false
    ) async throws -> RequestSummary {
        let (from, to) = try months(count)
        let wanted = DocumentsRequest(from: from, to: to, refetches: refetching)
        return try #require(RequestSummary(json: try await both.agent.requestDocuments(wanted).json))
    }

    /// Waits until the request has ended at the broker.
    private static func end(_ id: RequestID, of both: BothSides) async throws -> RequestSummary {
        try await both.until { try await both.status(id).isTerminal }
        return try #require(RequestSummary(json: try await both.agent.request(id).json))
    }

    /// The phone tells its banks before an agent may ask for several documents.
    private static func offerBanks(_ both: BothSides) async throws { _ = try await both.phone.refresh() }

    @Test("twelve months are approved once, and the password is sent once")
    func twelve() async throws {
        try await BothSides.running { both in
            try await Self.offerBanks(both)
            let asked = try await Self.ask(12, of: both)
            let shown = try await both.shown(asked.id)
            #expect(shown.type == "documents" && shown.documents?.count == 12)
            let outcome = try await both.phone.approve(shown, with: PassphraseVerification(BothSides.passphrase))
            #expect(outcome == .delivered(documents: 12, of: 12))
            let ended = try await Self.end(asked.id, of: both)
            #expect(ended.status == .completed && ended.filePath == nil)
            let documents = try #require(ended.documents)
            #expect(documents.count == 12)
            for document in documents {
                let bytes = try [UInt8](Data(contentsOf: URL(filePath: try #require(document.filePath))))
                #expect(bytes == MockBankServer.statement(month: document.period.month, year: document.period.year))
                #expect(document.bytes == bytes.count)
            }
            #expect(both.signIns.count == 1)
            try await both.until { both.inboxNames().isEmpty }
            #expect(try await both.phone.store.request(asked.id)?.status == .completed)
        }
    }

    @Test("a month that the bank does not have is named, and the others come")
    func gap() async throws {
        try await BothSides.running(in: .monthMissing) { both in
            try await Self.offerBanks(both)
            let asked = try await Self.ask(12, of: both)
            #expect(try await both.approve(asked.id) == .delivered(documents: 11, of: 12))
            let ended = try await Self.end(asked.id, of: both)
            #expect(ended.status == .completed)
            let missing = try #require(ended.documents?.filter { $0.filePath == nil })
            #expect(missing.map(\.period.month) == [11])
            #expect(missing.first?.errorCode == "NAVIGATION_FAILED")
            #expect(missing.first?.bankSaysUntrusted?.isEmpty == false)
        }
    }

    @Test("what came before the bank ended the session stays, and the next request fetches the rest")
    func rest() async throws {
        try await BothSides.running(in: .fiveDocuments) { both in
            try await Self.offerBanks(both)
            let first = try await Self.ask(8, of: both)
            #expect(try await both.approve(first.id) == .delivered(documents: 5, of: 8))
            let ended = try await Self.end(first.id, of: both)
            #expect(ended.status == .completed)
            #expect(ended.documents?.count { $0.filePath != nil } == 5)

            let second = try await Self.ask(8, of: both)
            #expect(try await both.shown(second.id).documents?.count == 3)
            #expect(try await both.approve(second.id) == .delivered(documents: 3, of: 3))
            let whole = try await Self.end(second.id, of: both)
            #expect(whole.documents?.count == 8)
            #expect(whole.documents?.allSatisfy { $0.filePath != nil } == true)
            #expect(both.signIns.count == 2)

            let third = try await Self.ask(8, of: both)
            #expect(third.status == .completed, "everything is there, so nothing waits for an approval")
            let fourth = try await Self.ask(8, of: both)
            #expect(fourth.id == third.id, "the same files are not listed in one request after another")
            #expect(try await both.phone.refresh().pending.isEmpty)
            let again = try await Self.ask(2, of: both, refetching: true)
            #expect(try await both.shown(again.id).documents?.count == 2)
        }
    }

    @Test("a name for a request means the same documents, also when some are there by now")
    func names() async throws {
        try await BothSides.running(in: .fiveDocuments) { both in
            try await Self.offerBanks(both)
            let (from, to) = try Self.months(6)
            func ask(_ from: MonthYear, _ key: String) async throws -> RequestID {
                try await both.agent.requestDocuments(DocumentsRequest(from: from, to: to, agentRequestID: key)).id
            }
            let first = try await ask(from, "half a year")
            #expect(try await both.approve(first) == .delivered(documents: 5, of: 6))
            _ = try await Self.end(first, of: both)
            #expect(try await ask(from, "half a year") == first)
            let rest = try await ask(from, "the rest")
            #expect(rest != first)
            // The same month to fetch, but another request: it is not folded into the one that waits.
            let single = try await ask(to, "one month")
            #expect(single != rest)
            #expect(try await ask(to, "one month") == single)
            #expect(try await ask(from, "the rest") == rest)
            await #expect("a name that means other documents") { try await ask(to, "half a year") } throws: {
                "\($0)".contains("CONFLICT")
            }
        }
    }

    @Test("requests that overlap fetch each month once, whatever the order in which they are approved")
    func overlap() async throws {
        try await BothSides.running { both in
            try await Self.offerBanks(both)
            let (from, to) = try Self.months(6)
            func ask(_ from: MonthYear, _ to: MonthYear) async throws -> RequestID {
                try await both.agent.requestDocuments(DocumentsRequest(from: from, to: to)).id
            }
            // Three requests that wait at the same time: half a year, its last four months, and two months inside.
            let middle = try #require(from.next?.next)
            let ids = [try await ask(from, to), try await ask(middle, to), try await ask(middle, middle)]
            let shown = try await both.phone.refresh().pending
            #expect(shown.count == 3)
            async let second = both.phone.approve(
                try #require(shown.first { $0.id == ids[1] }), with: PassphraseVerification(BothSides.passphrase))
            async let first = both.phone.approve(
                try #require(shown.first { $0.id == ids[0] }), with: PassphraseVerification(BothSides.passphrase))
            #expect(try await second == .delivered(documents: 4, of: 4))
            #expect(try await first == .delivered(documents: 6, of: 6))
            let signIns = both.signIns.count
            // The last request has nothing left to fetch, so the bank is not visited.
            #expect(try await both.approve(ids[2]) == .delivered(documents: 1, of: 1))
            #expect(both.signIns.count == signIns && signIns <= 2)
            for id in ids {
                let documents = try #require(try await Self.end(id, of: both).documents)
                for document in documents {
                    let bytes = try [UInt8](Data(contentsOf: URL(filePath: try #require(document.filePath))))
                    #expect(
                        bytes == MockBankServer.statement(month: document.period.month, year: document.period.year))
                }
            }
            #expect(both.signIns.documents.count == 6, "\(both.signIns.documents)")
            #expect(Set(both.signIns.documents).count == 6)
            // What is asked for again on purpose is fetched again.
            let again = try await Self.ask(1, of: both, refetching: true)
            #expect(try await both.approve(again.id) == .delivered(documents: 1, of: 1))
            #expect(both.signIns.documents.count == 7)
        }
    }

    @Test("a visit without any document fails, and a wrong password is not tried twice")
    func nothing() async throws {
        try await BothSides.running(in: .wrongPassword) { both in
            try await Self.offerBanks(both)
            let asked = try await Self.ask(3, of: both)
            guard case .failed(let code, _) = try await both.approve(asked.id) else {
                Issue.record("the run did not fail")
                return
            }
            #expect(code == "BANK_LOGIN_FAILED")
            #expect(both.signIns.count == 1)
            let ended = try await Self.end(asked.id, of: both)
            #expect(ended.status == .failed && ended.errorCode == "BANK_LOGIN_FAILED")
            #expect(ended.documents?.allSatisfy { $0.filePath == nil } == true)
            #expect(both.inboxNames().isEmpty)
        }
    }

    @Test("a phone that stopped in the middle closes what it delivered, and nothing is fetched twice")
    func interrupted() async throws {
        try await BothSides.running { both in
            try await Self.offerBanks(both)
            let asked = try await Self.ask(4, of: both)
            let shown = try await both.shown(asked.id)
            let items = try #require(shown.documents).items(ofBank: "default")
            // A run that stopped after two of four documents, the second of which it could not record.
            let secret = try SharedSecret(Secret("a shared secret of more than thirty-two bytes"))
            let publisher = InboxPublisher(folder: both.inbox, secret: secret)
            _ = try await both.phone.broker.call { (client) async throws(PhoneError) in
                try await client.decide(asked.id, .approve, approval: nil, decisionID: Nonce(), at: Date())
            }
            let now = Date()
            _ = try await both.phone.store.move(asked.id, from: .pendingApproval, to: .approved, at: now)
            _ = try await both.phone.store.move(asked.id, from: .approved, to: .executing, at: now)
            for (index, item) in items.prefix(2).enumerated() {
                let file = both.home.appending(path: "statement-\(index).pdf")
                try Data(MockBankServer.statement(month: item.period.month, year: item.period.year)).write(to: file)
                let delivery = try publisher.publish(
                    document: file, .init(item, number: index + 1, of: 4), for: asked.id, completedAt: Timestamp(now))
                if index == 0 {
                    try await both.phone.store.rememberDocument(
                        item.id, of: asked.id, sha256: delivery.manifest.sha256, at: now)
                }
            }
            try Data("half a PDF".utf8).write(to: both.inbox.appending(path: "\(asked.id)-\(items[2].id).pdf"))
            try await both.phone.recover()
            let ended = try await Self.end(asked.id, of: both)
            #expect(ended.status == .completed)
            #expect(ended.documents?.map { $0.filePath != nil } == [true, true, false, false])
            #expect(try await both.phone.store.request(asked.id)?.status == .completed)

            let second = try await Self.ask(4, of: both)
            #expect(try await both.approve(second.id) == .delivered(documents: 2, of: 2))
            #expect(try await Self.end(second.id, of: both).documents?.allSatisfy { $0.filePath != nil } == true)
        }
    }

    @Test("a script for one month, an unknown kind and too many documents are refused with what there is")
    func refusals() async throws {
        try await BothSides.running { both in
            // Before a phone has told of its banks.
            await #expect { try await Self.ask(2, of: both) } throws: {
                "\($0)".contains("no phone has told its banks; open the phone, and ask again")
            }
            try await Self.offerBanks(both)
            let last = try Self.months(1).to
            // On the last day of a month, the next one has begun in the east.
            let next = try #require(last.next?.next?.next)
            let bodies: [(JSONValue, String)] = [
                (["type": "documents", "from": "2024-01"], "“to” is missing"),
                (["type": "documents", "from": "2024-1", "to": "2024-02"], "“from” is not a month such as 2026-01"),
                (["type": "documents", "from": "2024-03", "to": "2024-02"], "“to” is before “from”"),
                (["type": "documents", "from": "2000-01", "to": "2010-01"], "at most 120 documents"),
                (["type": "documents", "from": "2024-01", "to": "2024-02", "kinds": ["exe"]], "not among: pdf"),
                (
                    ["type": "documents", "from": "2024-01", "to": "2024-02", "kinds": ["xlsx"]],
                    "not offered by “default”: xlsx; it offers pdf"
                ),
                (
                    ["type": "documents", "from": "2024-01", "to": "2024-02", "account": "x"],
                    "“default” has no account “x”"
                ),
                (
                    ["type": "documents", "from": "2024-01", "to": "2024-02", "account": "40 2071 8836"],
                    "never an account's number"
                ),
                (
                    ["type": "documents", "from": "2024-01", "to": "2024-02", "iban": "x"], "unknown fields: “iban”"
                ),
                (["type": "documents", "from": "2024-01", "to": .string(next.description)], "in the future"),
                (
                    ["type": "documents", "from": "2024-01", "to": "2024-02", "bank_id": "other"],
                    "the banks are default"
                ),
            ]
            for (body, words) in bodies {
                await #expect("\(words)") {
                    do {
                        let wanted = try AgentRequestBody(json: body)
                        guard case .documents(let request) = wanted else { return }
                        _ = try await both.agent.requestDocuments(request)
                    } catch let error as BodyError {
                        throw error
                    }
                } throws: {
                    "\($0)".contains(words)
                }
            }
        }
    }
}
