import Automation
import BankScript
import HTMLAutomation
import Synchronization
import Testing

@testable import ScriptCommands

@Suite("A sign-in by hand in an attached browser")
struct AttachedSignInTests {
    private static let yaml = """
        bank: north
        name: North Bank
        origins: [https://north.example]
        credentials: [username, password]
        interruptions:
          - when: { shows: Accept cookies }
            pass: [press: Accept cookies]
        steps:
          - open: /
          - fill: { User: $username, Password: $password }
          - press: Sign in
          - follow: Statements
          - download: "{{ year }}-{{ month }}"

        """

    private struct Open: StepGate {
        func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {}
    }

    @Test("is waited for before the first step behind it, and not in an interruption of the first page")
    func waits() async throws {
        let attached = try #require(AttachedSignIn(try BankScript(yaml: Self.yaml, file: "north.yaml")))
        let engine = try HTMLNavigationEngine(for: attached.script)
        let waits = Mutex(0)
        let gate = attached.gate(before: Open()) { _ in waits.withLock { $0 += 1 } }
        for (number, depth, count) in [(1, 0, 0), (1, 1, 0), (1, 1, 0), (2, 0, 1), (2, 1, 1), (3, 0, 1)] {
            try await gate.pass(StepPlace(number: number, depth: depth, words: "a step"), engine)
            #expect(waits.withLock { $0 } == count, "step \(number), depth \(depth)")
        }
        await engine.close()
    }
}
