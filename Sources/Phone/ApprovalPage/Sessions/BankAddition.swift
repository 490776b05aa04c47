import BankScript
import Synchronization

/// One attempt to add a bank on the page, with its test login. The page looks at it until it has ended.
final class BankAddition: Sendable {
    enum End: Sendable {
        /// Added; requests for the bank can come as far as its script is served.
        case added(AddedBank, ServedBank)
        case failed(any Error)
    }

    private struct State {
        var end: End?
        var work: Task<AddedBank, any Error>?
        var isCancelled = false
    }

    let read: ReadScript
    /// True for an attempt with a test login.
    let signsIn: Bool
    /// The session of the browser that has begun it.
    let session: [UInt8]
    private let state = Mutex(State())

    init(of read: ReadScript, signingIn signsIn: Bool, by session: PageSession) {
        self.read = read
        self.signsIn = signsIn
        self.session = session.id
    }

    var script: BankScript { read.script }

    /// Nil while the attempt is under way.
    var end: End? { state.withLock { $0.end } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Returns the end, and waits a while for it.
    func end(within patience: Duration) async -> End? {
        let limit = ContinuousClock.now + patience
        while end == nil, ContinuousClock.now < limit, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(100))
        }
        return end
    }

    func ended(_ end: End) { state.withLock { $0.end = end } }

    /// Does the work that ``cancel()`` stops. What follows it is not stopped.
    func perform(_ work: @escaping @Sendable () async throws -> AddedBank) async throws -> AddedBank {
        let task = Task(operation: work)
        let isCancelled = state.withLock { state in
            state.work = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Stops the work, if its credentials are not stored yet.
    func cancel() {
        let work = state.withLock { state in
            state.isCancelled = true
            return state.work
        }
        work?.cancel()
    }
}
