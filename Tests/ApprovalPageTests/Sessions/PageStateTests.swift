import Foundation
import Messages
import Secrets
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("The page and its broker", .timeLimit(.minutes(4)))
struct PageStateTests {
    private static let interval: Duration = .seconds(30)

    @Test("requests are there as soon as the agent has made them, not only at the next refresh")
    func atOnce() async throws {
        let stage = try BrokerStage()
        try await withPage(of: stage) { state in
            let runner = try await state.unlocked()
            let start = ContinuousClock.now
            for _ in 0..<5 {
                let id = try await stage.request()
                while try await !runner.pending().contains(where: { $0.id == id }) {
                    guard ContinuousClock.now - start < Self.interval else { break }
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            let time = ContinuousClock.now - start
            #expect(time < Self.interval, "five requests took \(time)")
        }
    }

    @Test("a phone waits without its token, and a broker that always has something new does not keep it busy")
    func waits() async throws {
        try await TestPhone.with { phone in
            await phone.broker.tellOfChanges()
            let configuration = PageServerConfiguration(port: 0, refreshInterval: Self.interval)
            let start = ContinuousClock.now
            try await phone.opening(unlocked: true, configuration) { _, server in
                try await phone.until(server) { await phone.broker.waits.count > 10 }
                // A phone that is kept busy would look dozens of times in this second.
                try await Task.sleep(for: .seconds(1))
                let waits = await phone.broker.waits
                let most = 11 + Int((ContinuousClock.now - start) / .seconds(2))
                #expect(waits.count <= most, "\(waits.count) waits")
                #expect(await phone.broker.heard <= most)
                #expect(waits.allSatisfy { $0[.authorization] == nil })
            }
        }
    }

    @Test("a broker without the route is looked at again and again")
    func earlier() async throws {
        try await TestPhone.with { phone in
            let configuration = PageServerConfiguration(port: 0, refreshInterval: .seconds(1))
            try await phone.opening(unlocked: true, configuration) { _, server in
                try await phone.until(server) { await phone.broker.heard > 2 }
                #expect(await phone.broker.waits.isEmpty)
            }
        }
    }

    /// Runs `body` with the page of an unlocked phone that looks at the stage's broker every half minute.
    private func withPage(
        of stage: BrokerStage, _ body: @escaping @Sendable (PageState) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            stage.clock.setWall(by: phone.clock.now.timeIntervalSinceNow)
            try await stage.run { stage in
                let connection = try PhoneConnection(
                    brokerURL: stage.url, token: Secret(BrokerStage.phoneToken),
                    sharedSecret: Secret("a shared secret of more than thirty-two bytes"), inbox: stage.inbox.path)
                let home = PhoneHome(stage.root.appending(path: "phone"), scrypt: .cheapForTests)
                try await PhoneSetup(
                    home: home, connection: connection, bankID: "default",
                    credentials: ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")]
                ).apply(passphrase: TestPhone.passphrase)
                let state = try PageState(
                    home: home, services: phone.services(),
                    configuration: PageServerConfiguration(port: 0, refreshInterval: Self.interval))
                try await state.unlock(phone.verification)
                do { try await body(state) } catch {
                    await state.stop()
                    throw error
                }
                await state.stop()
            }
        }
    }
}
