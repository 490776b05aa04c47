import Dispatch

/// Threads for work that blocks: key derivation, locks, `fsync`. Swift's cooperative pool has one thread per core, and
/// half a second of scrypt on each would stop every other task.
package enum BlockingWork {
    private static let queue = DispatchQueue(label: "countersign.blocking-work", attributes: .concurrent)

    package static func run<Success: Sendable>(_ work: @escaping @Sendable () throws -> Success) async throws -> Success
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
