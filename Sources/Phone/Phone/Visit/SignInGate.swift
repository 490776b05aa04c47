import Automation
import BankScript
import Synchronization

/// Ends a visit behind its sign-in, before a step of the script.
package final class SignInGate: StepGate {
    /// The number of the first step that is not performed, as ``StepPlace`` counts.
    let end: Int
    private let stopped = Mutex(false)

    package init(before end: Int) {
        self.end = end
    }

    /// True once a step was stopped: the visit came to the end of its sign-in.
    package var hasStopped: Bool { stopped.withLock { $0 } }

    /// Takes the word of the process in which the visit was made.
    func stop() { stopped.withLock { $0 = true } }

    package func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {
        guard place.depth == 0, place.number >= end else { return }
        stop()
        throw RunFailure(.navigationFailed, reason: .cancelled, message: "the trial ends after the sign-in")
    }
}
