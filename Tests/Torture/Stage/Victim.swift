import Foundation
import Synchronization

/// A program that is killed as soon as it prints certain words for the n-th time.
final class Victim: Sendable {
    private struct State {
        var child: Child?
        var left: Int
        var wasKilled = false
    }

    private let words: [String]
    private let state: Mutex<State>

    /// - Parameter time: which of the lines with one of the words is the last, from 1.
    init(at words: [String], time: Int = 1) {
        self.words = words
        state = Mutex(State(left: time))
    }

    var wasKilled: Bool { state.withLock { $0.wasKilled } }

    func `is`(_ child: Child) { state.withLock { $0.child = child } }

    func look(at line: String) {
        guard words.contains(where: { line.contains($0) }) else { return }
        state.withLock { state in
            state.left -= 1
            guard state.left <= 0, let child = state.child else { return }
            child.signal(SIGKILL)
            state.wasKilled = true
        }
    }
}
