import Clocks
import Encodings
import Foundation
import Messages
import Phone
import PhoneStore
import TestParties
import Testing

@Suite("What the owner asks for")
struct OwnerAsksTests {
    private static func january(to last: String = "2026-01") throws -> DocumentsRequest {
        DocumentsRequest(from: try #require(MonthYear("2026-01")), to: try #require(MonthYear(last)))
    }

    @Test("becomes a request that waits for the same approval, and says that the owner asks")
    func asked() async throws {
        try await TestPhone.with { phone in
            await phone.broker.answerOwner(with: try phone.envelope(client: .owner))
            let runner = try phone.runner()
            guard case .waits(let id) = try await runner.ask(Self.january(), ofBank: "default") else {
                Issue.record("it does not wait")
                return
            }
            let pending = try #require(try await runner.pending().first)
            #expect(pending.id == id && pending.isAskedHere && pending.clientWords == "you")
            let posts = await phone.broker.posts
            #expect(posts.map(\.path) == ["/phone/requests"], "nothing was approved")
            let body: JSONValue = ["type": "statement", "month": 1, "year": 2026, "bank_id": "default"]
            #expect(posts.first?.body == body)
            let events = try await runner.store.audit.records().map(\.event)
            #expect(events.last { $0.type == "owner.asked" }?.requestID == id.description)
        }
    }

    @Test("is the owner's only when the request asks for nothing else", arguments: [1, 2])
    func other(month: Int) async throws {
        try await TestPhone.with { phone in
            await phone.broker.answerOwner(with: try phone.envelope(month: month, client: .owner))
            let runner = try phone.runner()
            _ = try await runner.ask(Self.january(), ofBank: "default")
            let pending = try #require(try await runner.pending().first)
            #expect(pending.isAskedHere == (month == 1))
            if month == 2 { #expect(pending.clientWords == "you, on another device, as the broker says") }
        }
    }

    @Test("an agent that calls itself so is not the owner of this phone")
    func stranger() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope(client: .owner)])
            let pending = try #require(try await phone.runner().refresh().pending.first)
            #expect(!pending.isAskedHere && pending.clientWords == "you, on another device, as the broker says")
        }
    }

    @Test("asks for nothing that is there already")
    func isThere() async throws {
        try await TestPhone.with { phone in
            let envelope = try phone.envelope(client: .owner)
            await phone.broker.answerOwner(with: envelope, isThere: true)
            let runner = try phone.runner()
            let id = try #require(envelope["request_id"]?.stringValue.flatMap { RequestID($0) })
            #expect(try await runner.ask(Self.january(), ofBank: "default") == .isThere(id))
            #expect(try await runner.pending().isEmpty)
        }
    }

    @Test(
        "is refused with the reason: another bank, several months of a bank with one, the broker's words, an old broker"
    )
    func refused() async throws {
        try await TestPhone.with { phone in
            let runner = try phone.runner()
            func words(_ request: DocumentsRequest, _ bank: String = "default") async -> String {
                let error = await #expect(throws: PhoneError.self) { _ = try await runner.ask(request, ofBank: bank) }
                return error?.message ?? ""
            }
            #expect(await words(try Self.january(), "other").contains("no script for a bank “other”"))
            #expect(await words(try Self.january(to: "2026-02")).contains("one statement in a visit"))
            #expect(await words(try Self.january()).contains("update it, or ask with: countersign request"))
            await phone.broker.refuseOwner(with: .badRequest, "month is in the future")
            #expect(await words(try Self.january()).contains("month is in the future"))
            #expect(try await runner.pending().isEmpty)
        }
    }

    @Test("what failed is asked for again, for the agent that asked")
    func again() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            try await runner.deny(request.id)
            await phone.broker.offer([])
            let books = try #require(AgentName("books"))
            await phone.broker.answerOwner(with: try phone.envelope(client: books))
            _ = try await runner.repeatRequest(request.id)
            let pending = try #require(try await runner.pending().first)
            #expect(pending.isAskedHere && pending.clientWords == "you, after the agent “books”")
            #expect(await phone.broker.posts.last?.path == "/phone/requests/\(request.id)/again")
            await #expect(throws: PhoneError.self) { _ = try await runner.repeatRequest(RequestID()) }
        }
    }
}
