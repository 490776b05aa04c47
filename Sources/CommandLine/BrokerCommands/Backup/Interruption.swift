import Machine
import Synchronization

/// Ends blocking work between two files when its task is cancelled.
final class Interruption: Sendable {
    private let isRequested = Atomic(false)

    /// - Throws: `CancellationError` once the task was cancelled.
    func check() throws {
        if isRequested.load(ordering: .relaxed) { throw CancellationError() }
    }

    /// Runs the work on a thread of its own.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable (Interruption) throws -> Value
    ) async throws -> Value {
        let interruption = Interruption()
        return try await withTaskCancellationHandler {
            try await BlockingWork.run { try work(interruption) }
        } onCancel: {
            interruption.isRequested.store(true, ordering: .relaxed)
        }
    }
}
