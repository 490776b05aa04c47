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

    /// A job that was leased again by the same worker is another run.
    private struct Key: Hashable {
        let id: UUID
        let lease: UUID

        init(_ job: LeasedJob) {
            id = job.id
            lease = job.lease
        }
    }

    private let runs = Mutex<[Key: Run]>([:])

    var jobs: [LeasedJob] { runs.withLock { $0.values.map(\.job) } }

    /// Runs a job until it ends, is stopped, or the caller is cancelled. It stays among ``jobs`` until it is forgotten.
    func run(_ job: LeasedJob, at now: Date, _ body: @escaping @Sendable () async throws -> JobEnd) async throws
        -> JobEnd
    {
        let task = Task { try await body() }
        runs.withLock { $0[Key(job)] = Run(job: job, start: now, task: task) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Forgets a job whose outcome is written: until then its lease has to be renewed.
    func forget(_ job: LeasedJob) { runs.withLock { _ = $0.removeValue(forKey: Key(job)) } }

    /// Stops the jobs that other workers hold by now, and those that have run for too long.
    func stop(notHeld held: Set<LeasedJob>, among asked: [LeasedJob], startedBefore start: Date) {
        let lost = Set(asked).subtracting(held).map(Key.init)
        runs.withLock { runs in
            for (key, run) in runs where lost.contains(key) || run.start < start { run.task.cancel() }
        }
    }
}
