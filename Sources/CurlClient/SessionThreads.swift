import Foundation

/// The threads that sessions run on. One whose session has ended waits for another, for a while: to make a thread and to
/// take it apart is a good part of what a short session costs.
final class SessionThreads: @unchecked Sendable {
    static let shared = SessionThreads()

    private static let mostWaiting = 8
    private static let patience: TimeInterval = 10

    private let condition = NSCondition()
    private var sessions: [@Sendable () -> Void] = []
    private var waiting = 0

    /// - Parameter session: is run on a thread that is nobody else's meanwhile.
    func run(_ session: @escaping @Sendable () -> Void) {
        let needsThread = condition.withLock {
            sessions.append(session)
            return waiting < sessions.count
        }
        guard needsThread else { return condition.signal() }
        let thread = Thread {
            Self.nameThread()
            while let session = self.next() { session() }
        }
        // As much as the main thread's: what a page or a script leads to runs here too.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Linux takes at most 15 bytes, and no name that was set before the start. Foundation may not know the thread yet when
    /// it has begun to run, and drops the name then.
    private static func nameThread() {
        let name = "curl session"
        #if os(Linux)
            guard let file = fopen("/proc/thread-self/comm", "we") else { return }
            fputs(name, file)
            fclose(file)
        #else
            Thread.current.name = name
        #endif
    }

    /// Waits for a session; nil when the thread is not needed any more.
    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            if sessions.isEmpty, waiting < Self.mostWaiting {
                waiting += 1
                let end = Date(timeIntervalSinceNow: Self.patience)
                while sessions.isEmpty, condition.wait(until: end) {}
                waiting -= 1
            }
            return sessions.isEmpty ? nil : sessions.removeFirst()
        }
    }
}
