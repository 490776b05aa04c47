import Messages
import Phone
import PhoneStore
import TestParties
import Testing

/// The second of two machines with the token of the default device, after its answer got lost.
@Suite("Two machines with one token", .timeLimit(.minutes(3)))
struct TwoMachinesOneTokenTests {
    @Test("a machine does not take another one's approval for its own lost one")
    func lostAnswer() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            // The first answer gets lost, and the second says that an approval counts: the other machine's.
            await phone.broker.answer("decision", with: [.badGateway, .conflict], standing: .approved)
            await phone.broker.name(Nonce())
            await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(phone.engine.state.withLock { $0.opened } == 0, "both machines run")
            let stored = try await runner.store.request(request.id)
            #expect(stored?.status == .expired)
            #expect(await phone.broker.actions().contains("failure") == false)
        }
    }

    @Test("its own lost approval still counts")
    func ownAnswer() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.badGateway, .conflict], standing: .approved)
            await phone.broker.nameLatest()
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }
}
