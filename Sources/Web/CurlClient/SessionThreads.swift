import Foundation

/// The threads that sessions run on. A thread whose session has ended waits a while for another session, because a short
/// session would spend much of its time on starting and ending a thread.
///
/// Budget: the warm fetch (1.3 times bare libcurl).
final class SessionThreads: @unchecked Sendable {
    static let shared = SessionThreads()

    private static let mostWaiting = 8
    private static let patience: TimeInterval = 10

    private let condition = NSCondition()
    private var sessions: [@Sendable () -> Void] = []
    private var waiting = 0

    /// Runs a session on a thread that runs nothing else meanwhile.
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
        // As large as the main thread's stack: pages are parsed and scripts run here too.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Names the current thread, in the 15 bytes that Linux allows. `Thread.name` does not work here: Foundation drops
    /// a name that is set before the thread starts, or so early that it does not know the thread yet.
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

    /// Waits for a session. Returns nil when the thread is no longer needed.
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
