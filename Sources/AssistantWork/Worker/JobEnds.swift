import AssistantStore
import Foundation

/// Writes the outcomes of runs. Those that come while a transaction is under way go into the next one together. A write
/// is finished even when the worker is told to end.
actor JobEnds {
    private typealias Waiting = (
        job: LeasedJob, outcome: JobOutcome, continuation: CheckedContinuation<Bool, any Error>
    )

    private let jobs: JobStore
    private let time: @Sendable () -> Date?
    private var waiting: [Waiting] = []
    private var isWriting = false

    /// - Parameter time: the time of writes; nil for the database's own.
    init(_ jobs: JobStore, time: @escaping @Sendable () -> Date?) {
        self.jobs = jobs
        self.time = time
    }

    /// - Returns: false when the lease has passed to another worker or the job is gone.
    func write(_ job: LeasedJob, _ outcome: JobOutcome) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            waiting.append((job, outcome, continuation))
            guard !isWriting else { return }
            isWriting = true
            Task { await writeAll() }
        }
    }

    private func writeAll() async {
        while !waiting.isEmpty {
            let part = waiting
            waiting = []
            do {
                let counts = try await jobs.end(part.map { ($0.job, $0.outcome) }, at: time())
                for (entry, counted) in zip(part, counts) { entry.continuation.resume(returning: counted) }
            } catch {
                for entry in part { entry.continuation.resume(throwing: error) }
            }
        }
        isWriting = false
    }
}
