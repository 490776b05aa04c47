import Foundation
import LoopbackBroker
import LoopbackPhone
import Messages
import Secrets
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("The page and its broker", .timeLimit(.minutes(2)))
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
                try await body(state)
                await state.stop()
            }
        }
    }
}
