import Messages
import Phone
import TestParties
import Testing

@Suite("Sixteen approvals of one request at once", .timeLimit(.minutes(3)))
struct RacingApprovalsTests {
    @Test("the losers do not end the run that won")
    func losers() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            // The bank is slow: the run is at work while the others lose, and while the phone looks around.
            phone.engine.tell { $0.hangsAtPress = true }
            let won = await withTaskGroup(of: ApprovedRun?.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        guard case .run(let run)? = try? await runner.accept(request, with: [phone.verification])
                        else { return nil }
                        return run
                    }
                }
                return await group.reduce(into: [ApprovedRun]()) { if let run = $1 { $0.append(run) } }
            }
            let run = try #require(won.first)
            #expect(won.count == 1)
            let performing = Task { await runner.perform(run) }
            while phone.engine.state.withLock({ $0.opened == 0 }) { try await Task.sleep(for: .milliseconds(10)) }
            _ = try await runner.refresh()
            #expect(await phone.broker.actions().contains("failure") == false, "the live run was reported as failed")
            #expect(try await runner.store.request(request.id)?.status == .executing)
            performing.cancel()
            _ = await performing.value
        }
    }
}
