import Automation
import Encodings
import Foundation
import HTTPTypes
import Messages
import PhoneStore
import TestParties
import Testing

@testable import Phone

/// An approval whose answer was lost. The broker had not heard of it when the phone asked, but may still receive it at
/// any time.
@Suite("An approval that reaches the broker late") struct LateApprovals {
    private func withLateApproval(
        _ body: @escaping @Sendable (TestPhone, PhoneRunner, PendingRequest) async throws -> Void
    ) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            #expect(try await runner.store.claim(request.id, decision: .approve, at: phone.clock.now))
            await phone.broker.answer("failure", with: [.conflict], standing: .pendingApproval)
            try await runner.recover()
            #expect(try await runner.store.request(request.id)?.status == .pendingApproval)
            try await body(phone, runner, request)
        }
    }

    @Test("is withdrawn when the person denies the request")
    func denied() async throws {
        try await withLateApproval { phone, runner, request in
            await phone.broker.answer("decision", with: [.conflict], standing: .approved)
            let error = await #expect(throws: PhoneError.self) { try await runner.deny(request.id) }
            #expect(error?.code == .notPending && error?.message.contains("is FAILED") == true)
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == .failed && stored.errorMessage?.contains("given it up") == true)
            #expect(await phone.broker.actions() == ["failure", "decision", "failure"])
            #expect(phone.engine.state.withLock { $0.opened } == 0)
        }
    }

    @Test("is withdrawn when the phone stopped during the denial")
    func deniedBeforeStop() async throws {
        try await withLateApproval { phone, runner, request in
            #expect(try await runner.store.claim(request.id, decision: .deny, at: phone.clock.now))
            await phone.broker.answer("decision", with: [.conflict], standing: .approved)
            try await runner.recover()
            #expect(try await runner.store.request(request.id)?.status == .failed)
            #expect(await phone.broker.actions() == ["failure", "decision", "failure"])
        }
    }

    @Test("counts when the person approves again")
    func approved() async throws {
        try await withLateApproval { phone, runner, request in
            await phone.broker.answer("decision", with: [.conflict], standing: .approved)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }

    @Test("is withdrawn at the next refresh when the person does not decide", arguments: [true, false])
    func undecided(isListed: Bool) async throws {
        try await withLateApproval { phone, runner, request in
            if !isListed { await phone.broker.offer([]) }
            _ = try await runner.refresh()
            #expect(try await runner.store.request(request.id)?.status == (isListed ? .pendingApproval : .failed))
            #expect(await phone.broker.actions().count == (isListed ? 1 : 2))
        }
    }

    @Test("is not withdrawn while the broker's list may be cut", arguments: [(199, false), (200, true)])
    func cutList(listed: Int, stays: Bool) async throws {
        try await withLateApproval { phone, runner, request in
            await phone.broker.offer(Array(repeating: try phone.envelope(month: 2), count: listed))
            _ = try await runner.refresh()
            #expect(try await runner.store.request(request.id)?.status == (stays ? .pendingApproval : .failed))
            #expect(await phone.broker.actions().count == (stays ? 1 : 2))
        }
    }

    @Test("is the phone's own only if it has the name that the broker gives", arguments: [true, false])
    func named(isOwn: Bool) async throws {
        try await withLateApproval { phone, runner, request in
            await phone.broker.answer("decision", with: [.conflict], standing: .approved)
            if isOwn { await phone.broker.nameLatest() } else { await phone.broker.name(Nonce()) }
            await #expect(throws: PhoneError.self) { try await runner.deny(request.id) }
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == (isOwn ? .failed : .expired))
            #expect(stored.errorCode == (isOwn ? "NAVIGATION_FAILED" : "OTHER_DEVICE"))
            #expect(await phone.broker.actions() == ["failure", "decision"] + (isOwn ? ["failure"] : []))
        }
    }

    @Test("does not affect a denial when it never arrives")
    func neverCame() async throws {
        try await withLateApproval { phone, runner, request in
            try await runner.deny(request.id)
            #expect(try await runner.store.request(request.id)?.status == .denied)
        }
    }
}

@Suite("Decisions made elsewhere") struct ForeignDecisions {
    static let ends: [(RequestStatus, RequestStatus, String)] = [
        (.denied, .denied, "DENIED_BY_USER"), (.approved, .expired, "OTHER_DEVICE"),
        (.executing, .expired, "OTHER_DEVICE"), (.completed, .expired, "OTHER_DEVICE"),
        (.failed, .expired, "OTHER_DEVICE"),
    ]

    @Test("are followed without a run or a withdrawal", arguments: ends, [Decision.approve, .deny])
    func followed(end: (there: RequestStatus, here: RequestStatus, code: String), decision: Decision) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.conflict], standing: end.there)
            do {
                switch decision {
                case .approve: _ = try await runner.approve(request, with: phone.verification)
                case .deny: try await runner.deny(request.id)
                }
                #expect(decision == .deny && end.there == .denied, "what was wanted is so")
            } catch let error as PhoneError {
                #expect(error.code == .notPending && error.message.contains("is \(end.here.rawValue)"))
            }
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == end.here && stored.errorCode == end.code)
            #expect(await phone.broker.actions() == ["decision"])
            #expect(phone.engine.state.withLock { $0.opened } == 0)
        }
    }

    @Test("end a decision that was being sent when the phone stopped", arguments: [Decision.approve, .deny])
    func expired(decision: Decision) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            #expect(try await runner.store.claim(request.id, decision: decision, at: phone.clock.now))
            await phone.broker.answer(decision == .approve ? "failure" : "decision", with: [.requestTimeout])
            _ = try await runner.refresh()
            #expect(try await runner.store.request(request.id)?.status == .expired)
        }
    }

    @Test("a refused second try does not release a decision that may still arrive")
    func refusedSecondTry() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.internalServerError, .tooManyRequests])
            let error = await #expect(throws: PhoneError.self) { try await runner.deny(request.id) }
            #expect(error?.code == .brokerMalformed)
            await phone.broker.answer("decision", with: [.conflict], standing: .denied)
            _ = try await runner.refresh()
            #expect(try await runner.store.request(request.id)?.status == .denied)
        }
    }

    @Test(
        "a broker that refuses the phone for now does not end a run whose statement it may have",
        arguments: [HTTPResponse.Status.tooManyRequests, .unauthorized])
    func refusedReport(status: HTTPResponse.Status) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let store = runner.store
            try await store.interrupt(request.id, now: phone.clock.now)
            await phone.broker.answer("failure", with: [status])
            try await runner.recover()
            #expect(try await store.request(request.id)?.status == .executing)

            await phone.broker.answer("failure", with: [.conflict], standing: .completed)
            try await runner.recover()
            #expect(try await store.request(request.id)?.status == .completed)
        }
    }
}
