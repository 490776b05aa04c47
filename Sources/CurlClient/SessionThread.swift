import CLibCurl
import Foundation
import Synchronization

/// The thread of one session: libcurl runs on it, and so do the tasks that prefer it.
///
/// A task that runs here finds its answer without waking another thread, twice for each exchange. Between the looks at
/// libcurl every task has its turn, so that a limit or a cancellation comes through while an answer is waited for.
final class SessionThread: TaskExecutor, @unchecked Sendable {
    private static let initialised: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private enum Work {
        case transfer(Transfer)
        /// Nil when the session is closed.
        case look(@Sendable (SessionExchanges?) -> Void)
        case job(UnownedJob)

        var isJob: Bool { if case .job = self { true } else { false } }
    }

    private let configuration: CurlConfiguration
    private let multi: UnsafeMutableRawPointer
    private let pins: CertificatePins?
    private let state = Mutex(State())

    private struct State {
        var queue: [Work] = []
        var isStarted = false
        var isStopped = false
        /// The thread is gone, or was never made.
        var isOver = false
        /// The thread waits, and has to be told when there is something to do.
        var isWaiting = false
    }

    init(_ configuration: CurlConfiguration) {
        precondition(Self.initialised, "libcurl cannot be initialised")
        self.configuration = configuration
        pins = CertificatePins(configuration)
        multi = curl_multi_init()
    }

    func add(_ transfer: Transfer) { enqueue(.transfer(transfer)) }

    func cookies() async -> [HTTPCookie] {
        await withCheckedContinuation { continuation in
            enqueue(.look { continuation.resume(returning: $0?.cookies ?? []) })
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(.job(UnownedJob(job))) }

    /// Has the thread look whether a transfer was cancelled.
    func wake() { state.withLock { if !$0.isOver { curl_multi_wakeup(multi) } } }

    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            guard state.isStarted else {
                state.isOver = true
                curl_multi_cleanup(multi)
                return
            }
            if state.isWaiting { curl_multi_wakeup(multi) }
        }
    }

    private func enqueue(_ work: Work) {
        var isFirst = false
        let isRefused = state.withLock { state in
            if state.isStopped, state.isOver || !work.isJob { return true }
            state.queue.append(work)
            if !state.isStarted {
                state.isStarted = true
                isFirst = true
            } else if state.isWaiting {
                state.isWaiting = false
                curl_multi_wakeup(multi)
            }
            return false
        }
        if isRefused { refuse(work) }
        // Without the lock, which is the first thing that the thread needs.
        if isFirst { SessionThreads.shared.run { self.run() } }
    }

    /// What comes too late is answered; a task goes on elsewhere.
    private func refuse(_ work: Work) {
        switch work {
        case .transfer(let transfer): transfer.finish(CurlError(.closed, "the session is closed"))
        case .look(let look): look(nil)
        case .job(let job): globalConcurrentExecutor.enqueue(ExecutorJob(job))
        }
    }

    // MARK: On the thread

    private func run() {
        let exchanges = SessionExchanges(configuration, pins, multi)
        var work: [Work] = []
        while take(&work) {
            for item in work {
                switch item {
                case .transfer(let transfer): exchanges.add(transfer)
                case .look(let look): look(exchanges)
                case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
            work.removeAll(keepingCapacity: true)
            exchanges.advance()
            guard mayWait() else { continue }
            exchanges.wait()
            state.withLock { $0.isWaiting = false }
        }
        let late = state.withLock { state in
            defer { state.queue = [] }
            state.isOver = true
            return state.queue
        }
        // Nobody waits for connections to be closed.
        late.forEach(refuse)
        exchanges.end()
        curl_multi_cleanup(multi)
    }

    /// What there is to do; `work` is empty and its room is used again.
    ///
    /// - Returns: false when the session was stopped.
    private func take(_ work: inout [Work]) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            swap(&state.queue, &work)
            return true
        }
    }

    private func mayWait() -> Bool {
        state.withLock { state in
            state.isWaiting = state.queue.isEmpty && !state.isStopped
            return state.isWaiting
        }
    }
}
