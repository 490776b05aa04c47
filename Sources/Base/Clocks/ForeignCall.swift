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

/// Takes the first of several results, and cancels the tasks of the others.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var tasks: [Task<Void, Never>] = []
        /// The result that came before anyone waited for it.
        var early: Result<Value, any Error>?
        var hasEnded = false
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
            return state.hasEnded
        }
        if isLate { task.cancel() }
    }

    func end(_ result: Result<Value, any Error>) {
        let (continuation, tasks) = state.withLock {
            state -> (CheckedContinuation<Value, any Error>?, [Task<Void, Never>]) in
            guard !state.hasEnded else { return (nil, []) }
            state.hasEnded = true
            defer { (state.continuation, state.tasks) = (nil, []) }
            if state.continuation == nil { state.early = result }
            return (state.continuation, state.tasks)
        }
        continuation?.resume(with: result)
        for task in tasks { task.cancel() }
    }
}
