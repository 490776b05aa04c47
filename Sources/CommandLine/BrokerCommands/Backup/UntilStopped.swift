import Terminal

/// Runs work until it ends or the person stops it with Ctrl-C or SIGTERM. It is then cancelled, and waited for.
///
/// - Throws: ``CommandFailure`` when it was stopped, and what the work throws.
func untilStopped<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            await StopSignal.wait()
            return nil
        }
        let first = try await group.next()
        group.cancelAll()
        if case .some(.some(let value)) = first { return value }
        do {
            if case .some(.some(let value)) = try await group.next() { return value }
        } catch is CancellationError {}
        throw CommandFailure("stopped; nothing is left of what was begun")
    }
}
