import Automation
import BankScript
import Synchronization

/// Lets a person sign in with their own hands in the browser's window. The script opens its first page, waits, and goes on
/// after its own sign-in.
struct AttachedSignIn: Sendable {
    /// The script without its sign-in.
    let script: BankScript

    /// - Returns: nil when the script begins with no page, or nothing in its steps signs in.
    init?(_ script: BankScript) {
        guard let first = script.steps.first, case .open = first.action,
            let last = script.steps.lastIndex(where: \.action.signsIn)
        else { return nil }
        var rest = script.steps[(last + 1)...]
        if !script.steps[last].action.sendsItself { rest = rest.drop { !$0.action.sends }.dropFirst() }
        // What the bank says of a wrong password or code is the person's to read.
        rest = rest.drop { $0.action.isRefusal }
        var copy = script
        copy.steps = [first] + rest
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
        private let steps = Mutex(0)

        init(others: any StepGate, wait: @escaping @Sendable (any NavigationEngine) async throws -> Void) {
            self.others = others
            self.wait = wait
        }

        func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {
            let number = steps.withLock { steps in
                steps += 1
                return steps
            }
            if number == 2 { try await wait(engine) }
            try await others.pass(place, engine)
        }
    }
}

extension Action {
    /// Gives the bank a credential or a code.
    var signsIn: Bool {
        switch self {
        case .fill(_, let value), .choose(_, let value): value.isCredential
        case .pressEach, .secondFactor: true
        case .submit(let step): step.fields.contains { $0.value.isCredential }
        case .when(_, let steps, let otherwise): (steps + otherwise).contains(where: \.action.signsIn)
        default: false
        }
    }

    /// Sends what it gives. The others need a button.
    var sendsItself: Bool {
        switch self {
        case .secondFactor, .submit: true
        case .when(_, let steps, let otherwise): (steps + otherwise).contains { $0.action.sendsItself }
        default: false
        }
    }

    var sends: Bool {
        switch self {
        case .press, .submit, .follow: true
        default: false
        }
    }

    var isRefusal: Bool {
        switch self {
        case .fail: true
        case .when(_, let steps, let otherwise): (steps + otherwise).allSatisfy(\.action.isRefusal)
        default: false
        }
    }
}

extension Value {
    fileprivate var isCredential: Bool {
        switch self {
        case .credential, .character: true
        default: false
        }
    }
}
