import Messages
import Phone
import TestParties
import Testing

@Suite("A run after the broker has ended its request", .timeLimit(.minutes(3)))
struct RunAfterTheEndTests {
    @Test(
        "the phone does not visit the bank for a request that the broker has ended",
        arguments: [RequestStatus.failed, .expired, .denied, .completed, .executing])
    func beforeTheVisit(status: RequestStatus) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("started", with: [.conflict], standing: status)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome.code == "CONFLICT")
            #expect(phone.engine.state.withLock { $0.opened } == 0, "the bank was visited")
            #expect(phone.inboxFiles().isEmpty)
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == .failed)
            #expect(stored.errorMessage?.contains("the bank was not visited") == true)
            _ = try await runner.refresh()
            #expect(await phone.broker.actions().contains("failure") == false)
        }
    }

    @Test("a statement of a request that the broker has ended meanwhile is not delivered")
    func beforeTheDelivery() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("started", with: [.ok, .conflict], standing: .failed)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome.code == "CONFLICT")
            #expect(phone.inboxFiles().isEmpty, "the statement lies in the synced folder")
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == .failed)
            #expect(stored.errorMessage?.contains("not delivered") == true)
        }
    }
}
