import CLibCurl
import Foundation

/// The thread of one session: libcurl runs on it, and so do the tasks that prefer it.
///
/// A task that runs here saves two thread switches for each exchange. Tasks take their turns between calls of libcurl,
/// so that a time limit or a cancellation takes effect while an answer is awaited.
final class SessionThread: TaskExecutor, @unchecked Sendable {
    private static let initialised: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private enum Work {
        case transfer(Transfer)
        /// A closure to call with the cookies.
        case cookies(@Sendable ([HTTPCookie]) -> Void)
        /// Cookies to keep, and a closure to call then.
        case keep([HTTPCookie], @Sendable () -> Void)
        case job(UnownedJob)

        var isJob: Bool { if case .job = self { true } else { false } }
    }

    private let configuration: CurlConfiguration
    private let multi: UnsafeMutableRawPointer
    private let pins: CertificatePins?
    private let lock = NSLock()
    private var queue: [Work] = []
    private var isStarted = false
    private var isStopped = false
    /// True if the thread has ended, or was never started.
    private var isOver = false
    /// True if the thread waits and must be woken when there is work.
    private var isWaiting = false

    init(_ configuration: CurlConfiguration) {
        precondition(Self.initialised, "libcurl cannot be initialised")
        self.configuration = configuration
        pins = CertificatePins(configuration)
        multi = curl_multi_init()
    }

    func add(_ transfer: Transfer) { enqueue(.transfer(transfer)) }

    func cookies() async -> [HTTPCookie] {
        await withCheckedContinuation { continuation in
            enqueue(.cookies { continuation.resume(returning: $0) })
        }
    }

    func put(_ cookies: [HTTPCookie]) async {
        await withCheckedContinuation { continuation in
            enqueue(.keep(cookies) { continuation.resume() })
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(.job(UnownedJob(job))) }

    /// Makes the thread check whether a transfer was cancelled.
    func wake() { lock.withLock { if !isOver { curl_multi_wakeup(multi) } } }

    func stop() {
        lock.withLock {
            guard !isStopped else { return }
            isStopped = true
            guard isStarted else {
                isOver = true
                curl_multi_cleanup(multi)
                return
            }
            if isWaiting { curl_multi_wakeup(multi) }
        }
    }

    private func enqueue(_ work: Work) {
        var isFirst = false
        let isRefused = lock.withLock {
            if isStopped, isOver || !work.isJob { return true }
            queue.append(work)
            if !isStarted {
                isStarted = true
                isFirst = true
            } else if isWaiting {
                isWaiting = false
                curl_multi_wakeup(multi)
            }
            return false
        }
        if isRefused { refuse(work) }
        // Release the lock first: the new thread takes it at once.
        if isFirst { SessionThreads.shared.run { self.run() } }
    }

    /// Answers work that came too late; a task continues elsewhere.
    private func refuse(_ work: Work) {
        switch work {
        case .transfer(let transfer): transfer.finish(CurlError(.closed, "the session is closed"))
        case .cookies(let answer): answer([])
        case .keep(_, let done): done()
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
                case .cookies(let answer): answer(exchanges.cookies)
                case .keep(let cookies, let done):
                    exchanges.put(cookies)
                    done()
                case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
            work.removeAll(keepingCapacity: true)
            exchanges.advance()
            guard mayWait() else { continue }
            exchanges.wait()
            lock.withLock { isWaiting = false }
        }
        let late = lock.withLock {
            defer { queue = [] }
            isOver = true
            return queue
        }
        // Answer before closing connections, which takes time.
        late.forEach(refuse)
        exchanges.end()
        curl_multi_cleanup(multi)
    }

    /// Moves the queued work into `work`, which is empty and keeps its capacity.
    ///
    /// - Returns: false when the session was stopped.
    private func take(_ work: inout [Work]) -> Bool {
        lock.withLock {
            guard !isStopped else { return false }
            swap(&queue, &work)
            return true
        }
    }

    private func mayWait() -> Bool {
        lock.withLock {
            isWaiting = queue.isEmpty && !isStopped
            return isWaiting
        }
    }
}
