import AssistantStore
import Foundation
import Logging
import Testing

@testable import AssistantJobs

@Suite("A runner of jobs", .timeLimit(.minutes(3))) struct JobRunnerTests {
    private struct Done: JobHandler {
        let type = JobType.meetingReminder

        func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd { .done }
    }

    /// Lets writes wait.
    private actor Gate {
        private(set) var count = 0
        private var waiting: CheckedContinuation<Void, Never>?

        func pass() async {
            count += 1
            await withCheckedContinuation { waiting = $0 }
        }

        func open() { waiting?.resume() }
    }

    @Test("the lease of a job is renewed until its outcome is written")
    func heldUntilWritten() async {
        let running = RunningJobs()
        let gate = Gate()
        let ends = JobEnds { runs in
            await gate.pass()
            return runs.map { _ in true }
        }
        let runner = JobRunner(
            handler: Done(), limits: WorkerLimits(), running: running, ends: ends, now: { WorkerStage.start },
            jitter: { 1 }, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        let job = LeasedJob(userID: UUID(), type: JobType.meetingReminder.rawValue, dueAt: WorkerStage.start)
        let run = Task { await runner.perform(job) }
        while await gate.count == 0 { await Task.yield() }
        #expect(running.jobs == [job])
        await gate.open()
        await run.value
        #expect(running.jobs.isEmpty)
    }
}
