import Dispatch

/// Threads for what takes long without suspending: key derivation, locks, `fsync`. The cooperative pool has as many
/// threads as the machine has cores, and half a second of scrypt on each would stop every other task.
package enum BlockingWork {
    private static let queue = DispatchQueue(label: "countersign.blocking-work", attributes: .concurrent)

    package static func run<Success: Sendable>(_ work: @escaping @Sendable () throws -> Success) async throws -> Success
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
