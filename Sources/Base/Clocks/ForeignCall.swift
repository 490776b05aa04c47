import Synchronization

/// Calls code that may ignore its cancellation, such as a plug-in's. When the time limit is over, or the caller is cancelled,
/// the call is cancelled and left behind: unlike with ``withTimeLimit(_:on:_:)``, nothing waits for its end.
///
/// - Throws: ``TimeLimitExceeded``, the call's own error, or `CancellationError` when the caller is cancelled.
package func callingOut<Value: Sendable>(
    atMost limit: Duration, on clock: any RunClock, _ call: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let race = Race<Value>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            race.begin(continuation)
            race.enter(
                Task {
                    do {
                        race.end(.success(try await call()))
                    } catch {
                        race.end(.failure(error))
                    }
                })
            race.enter(
                Task {
                    guard (try? await clock.sleep(for: limit)) != nil else { return }
                    race.end(.failure(TimeLimitExceeded()))
                })
        }
    } onCancel: {
        race.end(.failure(CancellationError()))
    }
}

/// Calls code that may ignore its cancellation, and that has something to end when it is cancelled. A caller who is cancelled
/// waits for that, up to a time. Then the call is left behind, and what it brings is ignored.
///
/// - Parameters:
///   - grace: the time that the call has after its cancellation, on the system's clock.
///   - executor: the executor that the call prefers; nil for none.
///   - late: ends what the call brings after it was left behind.
/// - Throws: ``LeftBehind``, or the call's own error.
package func leavingBehind<Value: Sendable>(
    after grace: Duration, on executor: (any TaskExecutor)? = nil,
    late: @escaping @Sendable (Value) async -> Void = { _ in }, _ call: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let race = Race<Value>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            race.begin(continuation)
            race.enter(
                Task(executorPreference: executor) {
                    do {
                        let value = try await call()
                        if !race.end(.success(value)) { await late(value) }
                    } catch {
                        race.end(.failure(error))
                    }
                })
        }
    } onCancel: {
        race.stop()
        Task {
            try? await SystemClock().sleep(for: grace)
            race.end(.failure(LeftBehind()))
        }
    }
}

/// A call did not end after its cancellation, and was left behind.
package struct LeftBehind: Error {}

/// Takes the first of several results, and cancels the tasks of the others.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var tasks: [Task<Void, Never>] = []
        /// The result that came before anyone waited for it.
        var early: Result<Value, any Error>?
        var hasEnded = false
        /// True once the tasks are to end, and their result still counts.
        var isStopped = false
    }

    private let state = Mutex(State())

    func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let early = state.withLock { state in
            if state.early == nil { state.continuation = continuation }
            return state.early
        }
        if let early { continuation.resume(with: early) }
    }

    func enter(_ task: Task<Void, Never>) {
        let isLate = state.withLock { state in
            if !state.hasEnded { state.tasks.append(task) }
            return state.hasEnded || state.isStopped
        }
        if isLate { task.cancel() }
    }

    /// Cancels the tasks, whose result still counts.
    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            return state.tasks
        }
        for task in tasks { task.cancel() }
    }

    /// - Returns: false for a result that came after the first one.
    @discardableResult
    func end(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation, tasks) = state.withLock {
            state -> (Bool, CheckedContinuation<Value, any Error>?, [Task<Void, Never>]) in
            guard !state.hasEnded else { return (false, nil, []) }
            state.hasEnded = true
            defer { (state.continuation, state.tasks) = (nil, []) }
            if state.continuation == nil { state.early = result }
            return (true, state.continuation, state.tasks)
        }
        continuation?.resume(with: result)
        for task in tasks { task.cancel() }
        return isFirst
    }
}
