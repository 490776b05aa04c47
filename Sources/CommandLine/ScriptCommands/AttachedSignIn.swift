import Automation
import BankScript
import Synchronization

/// Lets a person sign in with their own hands in the browser's window. The script opens its first page, waits, and goes on
/// after its own sign-in.
struct AttachedSignIn: Sendable {
    /// The script without its sign-in.
    let script: BankScript

    /// - Returns: nil when the script begins with no page, or nothing in its steps signs in and sends what it fills in.
    init?(_ script: BankScript) {
        guard let first = script.steps.first, first.action.as(OpenStep.self) != nil, let part = SignInPart(of: script)
        else {
            return nil
        }
        var copy = script
        // The person reads what the bank says of a wrong password or code.
        copy.steps = [first] + script.steps.dropFirst(part.end)
        self.script = copy
    }

    /// Returns a gate that waits for the person after the first page.
    ///
    /// - Parameter wait: returns when the person has signed in.
    func gate(
        before others: any StepGate, wait: @escaping @Sendable (any NavigationEngine) async throws -> Void
    ) -> any StepGate {
        Gate(others: others, wait: wait)
    }

    private final class Gate: StepGate {
        private let others: any StepGate
        private let wait: @Sendable (any NavigationEngine) async throws -> Void
        private let hasWaited = Mutex(false)

        init(others: any StepGate, wait: @escaping @Sendable (any NavigationEngine) async throws -> Void) {
            self.others = others
            self.wait = wait
        }

        func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {
            // The steps of an interruption, such as a cookie banner on the first page, are not those behind the sign-in.
            let isBehind = place.depth == 0 && place.number > 1
            let waits = hasWaited.withLock { hasWaited in
                defer { hasWaited = hasWaited || isBehind }
                return isBehind && !hasWaited
            }
            if waits { try await wait(engine) }
            try await others.pass(place, engine)
        }
    }
}
