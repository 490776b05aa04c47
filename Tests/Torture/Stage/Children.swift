import Foundation
import Synchronization

/// The child processes that this program has started and not yet seen end.
final class Children: Sendable {
    static let started = Children()

    private let running = Mutex<[ObjectIdentifier: Child]>([:])

    func add(_ child: Child) { running.withLock { $0[ObjectIdentifier(child)] = child } }
    func remove(_ child: Child) { running.withLock { $0[ObjectIdentifier(child)] = nil } }

    /// Kills all of them.
    func end() async {
        for child in running.withLock({ Array($0.values) }) { await child.killed() }
    }
}
