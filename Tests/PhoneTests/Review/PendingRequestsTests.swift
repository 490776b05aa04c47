import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages
import Signer
import Storage
import TestParties
import Testing

@testable import Phone
@testable import PhoneStore

@Suite("The requests that wait for a decision")
struct PendingRequestsTests {
    @Test("are ordered by the end of their time, and then by their IDs")
    func order() async throws {
        try await TestPhone.with { phone in
            let ids = (0..<3).map { _ in RequestID() }.sorted { $0.description < $1.description }
            await phone.broker.offer([
                try phone.envelope(month: 1, id: ids[0], expires: 300),
                try phone.envelope(month: 2, id: ids[2], expires: 200),
                try phone.envelope(month: 3, id: ids[1], expires: 200),
            ])
            #expect(try await phone.runner().refresh().pending.map(\.id) == [ids[1], ids[2], ids[0]])
        }
    }

    @Test("are read up to the two-hundredth of a list", arguments: [(1, 0), (200, 0), (201, 1)])
    func limit(listed: Int, unread: Int) async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer(Array(repeating: try phone.envelope(), count: listed))
            let runner = try phone.runner()
            let review = try await runner.refresh()
            #expect(review.unread == unread && review.pending.count == 1 && review.refused.isEmpty)
            let details = try await runner.store.audit.records(AuditFilter(type: "broker.flood")).map(\.event.details)
            #expect(details == Array(repeating: ["requests": .number(Double(listed))], count: unread))
        }
    }

    @Test("are not shown when a column of the store contradicts the signed envelope", arguments: ["id", "bank_id"])
    func forged(column: String) async throws {
        try await TestPhone.withRequest { _, runner, _ in
            let other = column == "id" ? RequestID().description : "other"
            try await runner.store.database.write {
                try $0.execute(sql: "UPDATE requests SET \(column) = ?", arguments: [other])
            }
            let stored = try #require(try await runner.store.requests([.pendingApproval]).first)
            #expect(stored.id.description == other || stored.bankID == other)
            #expect(try await runner.pending().isEmpty)
        }
    }

    @Test("name the other agents, and not the one that asks")
    func otherAgents() async throws {
        try await TestPhone.with { phone in
            let envelope = RequestEnvelope(
                bankID: "default", period: MonthYear(month: 1, year: 2026)!, issuedAt: Timestamp(phone.clock.now),
                approvalExpiresAt: Timestamp(phone.clock.now.addingTimeInterval(300)), client: AgentName("books"))
            await phone.broker.offer([envelope.signed(with: try FakeBroker.secret()).json])
            await phone.broker.name(others: ["books", "tax"])
            let request = try #require(try await phone.runner().refresh().pending.first)
            #expect(request.client == AgentName("books") && request.alsoAskedBy == [AgentName("tax")])
        }
    }

    @Test("name the other phones with the bank as the broker says them now, also where several phones have to approve")
    func otherPhones() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope()])
            let runner = try phone.runner()
            #expect(try await runner.refresh().pending.map(\.otherPhones) == [[]])
            await phone.broker.name(otherPhones: ["Bob's tablet", "Ada\n\u{202E}laptop", 7])
            let request = try #require(try await runner.refresh().pending.first)
            #expect(request.otherPhones.count == 2 && request.otherPhones.contains("Bob's tablet"))
            #expect(!request.otherPhones.joined().contains { $0 == "\n" || $0 == "\u{202E}" })
            var several = request
            several.requirement = Requirement(factors: [.deviceSignature], devices: 2, reasons: [])
            #expect(several.otherPhones == request.otherPhones)
            #expect(several.lastApproverFetches && !request.lastApproverFetches)
            await phone.broker.name(otherPhones: [])
            #expect(try await runner.refresh().pending.map(\.otherPhones) == [[]])
        }
    }

    @Test("get no other agents from an envelope that uses their ID again")
    func replayedWithAgents() async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id)])
            let runner = try phone.runner()
            _ = try await runner.refresh()
            await phone.broker.offer([try phone.envelope(month: 2, id: id)])
            await phone.broker.name(others: ["tax"])
            let review = try await runner.refresh()
            #expect(review.refused.map(\.reason) == ["replayed"] && review.pending.map(\.alsoAskedBy) == [[]])
        }
    }

    @Test("announce each change to those who listen")
    func events() async throws {
        try await TestPhone.with { phone in
            let runner = try phone.runner()
            let (early, late) = (RequestID(), RequestID())
            let forged = RefusedEnvelopes.changing(try phone.envelope(month: 5), "bank_id", "other")
            await phone.broker.offer([try phone.envelope(id: early, expires: 200), forged])
            let events = runner.events()
            _ = try await runner.refresh()
            phone.clock.advance(by: 201)
            #expect(try await runner.pending().isEmpty)
            #expect(try await runner.store.request(early)?.status == .expired)
            await phone.broker.offer([try phone.envelope(month: 2, id: late)])
            _ = try await runner.refresh()
            try await runner.deny(late)
            var seen: [String] = []
            for await event in events {
                switch event {
                case .arrived(let request): seen.append("arrived \(request.id)")
                case .refused(let refusal): seen.append("refused \(refusal.reason)")
                case .changed(let id, let status): seen.append("\(status) \(id)")
                default: break
                }
                if case .changed(late, .denied) = event { break }
            }
            #expect(
                seen == [
                    "arrived \(early)", "refused badSignature", "\(RequestStatus.expired) \(early)", "arrived \(late)",
                    "\(RequestStatus.denied) \(late)",
                ])
        }
    }
}
