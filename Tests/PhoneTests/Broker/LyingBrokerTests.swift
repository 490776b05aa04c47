import Foundation
import Messages
import PhoneStore
import Secrets
import Storage
import TestParties
import Testing

@testable import Phone

@Suite("A broker that fails or lies") struct LyingBrokerTests {
    @Test("only the first 200 of ten thousand requests are read")
    func flood() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer(
                [try phone.envelope(month: 2), try phone.envelope()] + Array(repeating: nil, count: 9_998))
            let runner = try phone.runner()
            let review = try await runner.refresh()
            #expect(review.pending.count == 2)
            #expect(review.unread == 9_800)
            #expect(try await runner.store.audit.records(AuditFilter(type: "broker.flood")).count == 1)
        }
    }

    @Test(
        "an answer that is not a list of requests is named",
        arguments: [
            (FakeBroker.Lie.html, PhoneError.Code.brokerMalformed, "not a Countersign broker"),
            (.nothing, .brokerMalformed, "empty"), (.huge, .brokerMalformed, "too large"),
            (.status(401), .brokerRefused, "may have been removed there"),
            (.status(429), .brokerRefused, "rate-limiting"),
            (.status(500), .brokerMalformed, "failed"), (.status(302), .brokerMalformed, "redirects"),
            (.status(404), .brokerConflict, "does not know"),
        ])
    func named(_ lie: FakeBroker.Lie, _ code: PhoneError.Code, _ words: String) async throws {
        try await TestPhone.with { phone in
            await phone.broker.tell(lie)
            let runner = try phone.runner()
            await #expect {
                try await runner.refresh()
            } throws: { error in
                let error = error as? PhoneError
                return error?.code == code && error?.message.contains(words) == true
            }
        }
    }

    @Test("a refused decision leaves the request undecided", arguments: [409, 401, 404, 429])
    func refusesDecision(_ status: Int) async throws {
        try await TestPhone.withRequest { phone, runner, request async throws in
            await phone.broker.answer("decision", with: [.init(code: status)])
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            #expect(phone.engine.state.withLock { $0.opened } == 0)
            #expect(try await runner.store.request(request.id)?.status == .pendingApproval)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }

    @Test("an approval after the deadline expires the request")
    func late() async throws {
        try await TestPhone.withRequest { phone, runner, request async throws in
            await phone.broker.answer("decision", with: [.requestTimeout])
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            #expect(try await runner.store.request(request.id)?.status == .expired)
        }
    }

    @Test("a decision without an answer is settled at the next refresh", arguments: [true, false])
    func undecided(brokerHeard: Bool) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, .internalServerError])
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            if !brokerHeard {
                await phone.broker.answer("failure", with: [.conflict], standing: .pendingApproval)
            }
            _ = try await runner.refresh()
            #expect(try await runner.store.request(request.id)?.status == (brokerHeard ? .failed : .pendingApproval))
            guard !brokerHeard else { return }
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }

    @Test("a lost answer is asked for again, and a conflict then shows that the first try arrived")
    func lostAnswer() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, .conflict])
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }
}
