import AssistantStore
import Foundation
import Synchronization

/// The jobs that this worker is performing, each with a way to stop it.
final class RunningJobs: Sendable {
    private struct Run {
        let job: LeasedJob
        let start: Date
        let task: Task<JobEnd, any Error>
    }

    private let runs = Mutex<[UUID: Run]>([:])

    var jobs: [LeasedJob] { runs.withLock { $0.values.map(\.job) } }

    /// Runs a job until it ends, is stopped, or the caller is cancelled.
    func run(_ job: LeasedJob, at now: Date, _ body: @escaping @Sendable () async throws -> JobEnd) async throws
        -> JobEnd
    {
        let task = Task { try await body() }
        runs.withLock { $0[job.id] = Run(job: job, start: now, task: task) }
        defer { runs.withLock { _ = $0.removeValue(forKey: job.id) } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Stops the jobs that other workers hold by now, and those that have run for too long.
    func stop(notHeld held: Set<UUID>, among asked: [LeasedJob], startedBefore start: Date) {
        let asked = Set(asked.map(\.id))
        runs.withLock { runs in
            for (id, run) in runs where (asked.contains(id) && !held.contains(id)) || run.start < start {
                run.task.cancel()
            }
        }
    }
}
