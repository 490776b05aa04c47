import AssistantStore
import Encodings
import Foundation
import Logging

/// Writes the outcomes of runs. Each tells whether it counts: false when the lease has passed to another worker, or the job is
/// gone.
typealias JobEnds = GatheredCalls<(job: LeasedJob, outcome: JobOutcome), Bool>

/// Performs leased jobs of one type, and writes their outcomes.
struct JobRunner: Sendable {
    /// The tries to write an outcome. Between them the database may come back; the lease is renewed meanwhile.
    private static let writes = 4

    let handler: any JobHandler
    let limits: WorkerLimits
    let running: RunningJobs
    let ends: JobEnds
    let now: @Sendable () -> Date
    let jitter: @Sendable () -> Double
    let logger: Logger

    func perform(_ job: LeasedJob) async {
        let outcome = await outcome(of: job)
        defer { running.forget(job) }
        for write in 1...Self.writes {
            do {
                if try await !ends((job, outcome)) {
                    logger.notice("another worker has the job by now, or it is gone", metadata: Self.metadata(job))
                }
                return
            } catch {
                logger.error(
                    "cannot record a job's outcome",
                    metadata: Self.metadata(job).merging(["error": "\(error)"]) { $1 })
                guard write < Self.writes else { return }
                try? await Task.sleep(for: .seconds(2))
            }
        }
    }

    private func outcome(of job: LeasedJob) async -> JobOutcome {
        guard job.strikes <= limits.strikes else { return setAside(job, "NO_RESULT") }
        do {
            let end = try await running.run(job, at: now()) { [handler, now] in
                try await handler.perform(job, at: now())
            }
            switch end {
            case .done: return .done
            case .next(let time): return .due(time)
            case .retry(let pause, let reason):
                logger.info(
                    "a job is tried again later", metadata: Self.metadata(job).merging(["reason": "\(reason)"]) { $1 })
                return again(job, atLeast: pause, isStrike: false)
            case .failed(let reason): return setAside(job, reason)
            }
        } catch {
            if Task.isCancelled { return .again(now(), isStrike: false) }
            logger.error("a job failed", metadata: Self.metadata(job).merging(["error": "\(error)"]) { $1 })
            // One that was stopped has a lease no more, or took too long.
            return again(job, atLeast: nil, isStrike: !(error is CancellationError))
        }
    }

    private func again(_ job: LeasedJob, atLeast pause: Duration?, isStrike: Bool) -> JobOutcome {
        let seconds = limits.pause(
            after: job.attempts, atLeast: pause, atMost: handler.longestPause, jitter: jitter())
        return .again(now().addingTimeInterval(seconds), isStrike: isStrike)
    }

    private func setAside(_ job: LeasedJob, _ reason: String) -> JobOutcome {
        logger.error("a job is set aside", metadata: Self.metadata(job).merging(["reason": "\(reason)"]) { $1 })
        return .setAside(
            NewAuditEvent(
                "JOB_SET_ASIDE", result: "FAILURE", metadata: ["type": .string(job.type), "reason": .string(reason)]))
    }

    private static func metadata(_ job: LeasedJob) -> Logger.Metadata { ["job": "\(job.id)", "type": "\(job.type)"] }
}
