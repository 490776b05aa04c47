import AssistantStore
import Foundation
import TestServers
import Testing

@testable import AssistantJobs

@Suite("The worker", .timeLimit(.minutes(3))) struct AssistantWorkerTests {
    private struct Trouble: Error {}

    @Test(
        "each end of a job leads to its state",
        arguments: [
            (JobEnd.done, "DONE"), (.next(WorkerStage.start + 60), "PENDING"),
            (.retry(after: nil, reason: "R"), "PENDING"), (.failed(reason: "R"), "FAILED"),
        ])
    func ends(_ end: JobEnd, _ state: String) async throws {
        let stage = try await WorkerStage()
        let user = try await stage.user()
        try await stage.plan(user)
        let worker = stage.worker([ScriptedHandler { _, _ in end }])
        #expect(try await worker.performDue() == 1)
        #expect(try await stage.states() == [state: 1])
        #expect(try await worker.performDue() == 0)
        #expect(try await stage.events("JOB_SET_ASIDE", of: user).count == (state == "FAILED" ? 1 : 0))
    }

    @Test("pauses grow up to a limit, with jitter, and are as long as the other side asks for")
    func pauses() {
        let limits = WorkerLimits()
        #expect(
            (1...9).map { limits.pause(after: $0, atLeast: nil, jitter: 1) } == [5, 10, 20, 40, 80, 160, 300, 300, 300])
        #expect((1...3).map { limits.pause(after: $0, atLeast: nil, jitter: 0) } == [2.5, 5, 10])
        #expect(limits.pause(after: 1, atLeast: .seconds(100), jitter: 0) == 100)
        #expect(abs(limits.pause(after: 1, atLeast: .seconds(100), jitter: 1) - 110) < 0.001)
        #expect(limits.pause(after: 9, atLeast: nil, atMost: 60, jitter: 1) == 60)
        #expect(limits.pause(after: 9, atLeast: .seconds(200), atMost: 60, jitter: 0) == 200)
        #expect(limits.places(for: .meetingReminder) == 256 && limits.places(for: .calendarSync) == 16)
        #expect(limits.pause(after: .max, atLeast: nil, jitter: 1) == 300)
    }

    @Test("a job that was put off keeps its due time, and is tried after its pause")
    func retries() async throws {
        let stage = try await WorkerStage()
        try await stage.plan(try await stage.user())
        let runs = Journal<(time: TimeInterval, due: TimeInterval)>()
        let worker = stage.worker([
            ScriptedHandler { job, now in
                runs.add((now.timeIntervalSince(WorkerStage.start), job.dueAt.timeIntervalSince(WorkerStage.start)))
                return runs.list.count < 4 ? .retry(after: .seconds(7), reason: "R") : .done
            }
        ])
        for _ in 0..<60 {
            _ = try await worker.performDue()
            stage.wait(1)
        }
        // At least 7 s as asked (with a jitter of 10 %), then twice as long each time.
        #expect(runs.list.map(\.time) == [0, 8, 18, 38])
        #expect(runs.list.allSatisfy { $0.due == 0 })
        #expect(try await stage.states() == ["DONE": 1])
    }

    @Test("a job that only throws is set aside with one audit entry; others go on")
    func poison() async throws {
        let stage = try await WorkerStage()
        let ill = try await stage.user()
        let well = try await stage.user()
        try await stage.plan(ill)
        try await stage.plan(well)
        let runs = Journal<UUID>()
        let worker = stage.worker([
            ScriptedHandler { job, _ in
                runs.add(job.userID)
                if job.userID == ill { throw Trouble() }
                return .done
            }
        ])
        for _ in 0..<20 {
            _ = try await worker.performDue()
            stage.wait(300)
        }
        #expect(runs.list.filter { $0 == ill }.count == WorkerLimits().strikes)
        #expect(runs.list.filter { $0 == well }.count == 1)
        #expect(try await stage.states() == ["FAILED": 1, "DONE": 1])
        let events = try await stage.events("JOB_SET_ASIDE", of: ill)
        #expect(events.map(\.event.metadata) == [["type": "MEETING_REMINDER", "reason": "NO_RESULT"]])
    }

    @Test("a job that kills its worker each time is set aside without another run")
    func killer() async throws {
        let stage = try await WorkerStage()
        let user = try await stage.user()
        try await stage.plan(user)
        for _ in 0..<WorkerLimits().strikes {
            let leased = try await stage.database.jobs.lease(
                JobType.meetingReminder.rawValue, atMost: 1, for: 24, at: stage.now)
            #expect(leased.count == 1)
            stage.wait(24)
        }
        let runs = Journal<UUID>()
        let worker = stage.worker([
            ScriptedHandler { job, _ in
                runs.add(job.id)
                return .done
            }
        ])
        #expect(try await worker.performDue() == 1)
        #expect(runs.list.isEmpty)
        #expect(try await stage.states() == ["FAILED": 1])
    }

    @Test("one user's job that hangs delays no other user's")
    func hanging() async throws {
        let stage = try await WorkerStage()
        let stuck = try await stage.user()
        try await stage.plan(stuck)
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (done, report) = AsyncStream<UUID>.makeStream()
        let worker = stage.worker([
            ScriptedHandler { job, _ in
                if job.userID == stuck { for await _ in gate {} }
                report.yield(job.userID)
                return .done
            }
        ]) { $0.reminders = 2 }
        let run = Task { try await worker.run() }
        var finished = done.makeAsyncIterator()
        for _ in 0..<5 {
            let user = try await stage.user()
            try await stage.plan(user)
            #expect(await finished.next() == user)
        }
        opener.finish()
        #expect(await finished.next() == stuck)
        run.cancel()
        try await run.value
    }

    @Test("a worker that ends gives its jobs back, and is seen no more")
    func ending() async throws {
        let stage = try await WorkerStage()
        try await stage.plan(try await stage.user())
        let (begun, report) = AsyncStream<Void>.makeStream()
        let worker = stage.worker([
            ScriptedHandler { _, _ in
                report.yield()
                try await Task.sleep(for: .seconds(600))
                return .done
            }
        ])
        let run = Task { try await worker.run() }
        var iterator = begun.makeAsyncIterator()
        _ = await iterator.next()
        #expect(try await stage.database.workers.isAlive(within: 20, at: stage.now))
        run.cancel()
        try await run.value
        #expect(try await !stage.database.workers.isAlive(within: 20, at: stage.now))
        let again = try await stage.database.jobs.lease(
            JobType.meetingReminder.rawValue, atMost: 1, for: 24, at: stage.now)
        #expect(again.map(\.strikes) == [1])
    }

    @Test("leases are renewed; a job that another worker holds by now is stopped", arguments: WorkerStage.Store.all)
    func renewal(_ store: WorkerStage.Store) async throws {
        let stage = try await WorkerStage(store)
        try await stage.plan(try await stage.user())
        let (begun, report) = AsyncStream<Void>.makeStream()
        let ends = Journal<String>()
        let first = stage.worker([
            ScriptedHandler { _, _ in
                report.yield()
                do {
                    try await Task.sleep(for: .seconds(600))
                } catch {
                    ends.add("stopped")
                    throw error
                }
                return .done
            }
        ])
        let second = stage.worker([
            ScriptedHandler { _, _ in
                ends.add("done")
                return .done
            }
        ])
        let run = Task { try await first.performDue() }
        var iterator = begun.makeAsyncIterator()
        _ = await iterator.next()
        stage.wait(20)
        try await first.renew()
        stage.wait(20)
        #expect(try await second.performDue() == 0, "the lease was renewed")
        stage.wait(9)
        #expect(try await second.performDue() == 1, "the first worker was not seen for more than a lease")
        try await first.renew()
        _ = try await run.value
        #expect(ends.list == ["done", "stopped"])
        #expect(try await stage.states() == ["DONE": 1])
    }

    @Test("two workers perform each of sixty jobs once", arguments: WorkerStage.Store.all)
    func two(_ store: WorkerStage.Store) async throws {
        let stage = try await WorkerStage(store)
        for _ in 0..<20 {
            let user = try await stage.user()
            for subject: UInt8 in 1...3 { try await stage.plan(user, about: subject) }
        }
        let runs = Journal<UUID>()
        let workers = (0..<2).map { _ in
            stage.worker([
                ScriptedHandler { job, _ in
                    runs.add(job.id)
                    return .done
                }
            ])
        }
        // Of two jobs of a user the second is not free while the first one's end is not written.
        for _ in 0..<3 {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in workers { group.addTask { try await worker.performDue() } }
                try await group.waitForAll()
            }
        }
        #expect(runs.list.count == 60 && Set(runs.list).count == 60)
        #expect(try await stage.states() == ["DONE": 60])
    }

    @Test("each user with a connection gets one periodic job, again after a new connection")
    func periodic() async throws {
        let stage = try await WorkerStage()
        let user = try await stage.user()
        _ = try await stage.user()
        let worker = stage.worker([ScriptedHandler(.calendarSync, planning: .perConnection) { _, _ in .done }])
        #expect(try await worker.performDue() == 0)
        let connector = try await stage.connect(user)
        #expect(try await worker.performDue() == 1)
        let event = NewAuditEvent("CONNECTOR_REVOKED")
        _ = try await stage.database.connectors.move(connector, of: user, to: .revoked, recording: event, at: stage.now)
        #expect(try await worker.performDue() == 0)
        try await stage.connect(user)
        #expect(try await worker.performDue() == 1)
    }

    @Test(
        "a database that restarts loses no job, and each ends",
        .enabled(if: LoopbackPostgres.programs != nil, "PostgreSQL is not installed: apt-get install postgresql"))
    func restart() async throws {
        let server = try await LoopbackPostgres()
        let stage = try await WorkerStage(database: try await server.makeDatabase())
        for _ in 0..<20 { try await stage.plan(try await stage.user()) }
        let runs = Journal<UUID>()
        let (begun, report) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let worker = stage.worker([
            ScriptedHandler { job, _ in
                runs.add(job.id)
                report.yield()
                // The first ones end after the database is gone.
                for await _ in gate {}
                return .done
            }
        ]) { $0.reminders = 8 }
        let run = Task { try await worker.run() }
        var iterator = begun.makeAsyncIterator()
        _ = await iterator.next()
        try await server.stop()
        opener.finish()
        try await server.start()
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end, try await stage.states() != ["DONE": 20] {
            // The leases of jobs whose end could not be written are over at some time.
            stage.wait(5)
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await stage.states() == ["DONE": 20])
        #expect(Set(runs.list).count == 20)
        run.cancel()
        try await run.value
    }
}
