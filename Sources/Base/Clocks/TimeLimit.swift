/// An operation exceeded its time limit and was cancelled.
package struct TimeLimitExceeded: Error {}

/// Runs an operation, and cancels it when the time limit is over.
///
/// - Throws: ``TimeLimitExceeded``, the operation's own error, or `CancellationError` when the caller is cancelled.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, on clock: any RunClock, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw TimeLimitExceeded()
        }
        defer { group.cancelAll() }
        do {
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        } catch let error as TimeLimitExceeded {
            if Task.isCancelled { throw CancellationError() }
            throw error
        }
    }
}
