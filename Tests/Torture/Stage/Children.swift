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

/// A thread that starts every child and never ends. The kernel counts the end of the thread that started a child as the
/// death of its parent (`PR_SET_PDEATHSIG`), and other threads come and go.
final class StartingThread: Sendable {
    static let shared = StartingThread()

    private final class Start: Sendable {
        let body: @Sendable () throws -> Void
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)

        init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }
    }

    private let waiting = Mutex<[Start]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                arrived.wait()
                let start = waiting.withLock { $0.removeFirst() }
                do { try start.body() } catch { start.failure.withLock { $0 = error } }
                start.done.signal()
            }
        }
    }

    /// Calls `body` on the thread, and returns when it has ended.
    func run(_ body: @escaping @Sendable () throws -> Void) throws {
        let start = Start(body)
        waiting.withLock { $0.append(start) }
        arrived.signal()
        start.done.wait()
        if let failure = start.failure.withLock({ $0 }) { throw failure }
    }
}
