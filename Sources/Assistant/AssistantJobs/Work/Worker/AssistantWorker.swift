import AssistantStore
import Clocks
import Foundation
import Logging
import ServiceLifecycle

/// Work for all users together, such as looking for notices to release. Every worker does it again and again.
package struct WorkerTask: Sendable {
    let interval: Duration
    let body: @Sendable (Date) async throws -> Void

    package init(every interval: Duration, _ body: @escaping @Sendable (Date) async throws -> Void) {
        self.interval = interval
        self.body = body
    }
}

/// Performs jobs at their times. Any number of workers may share a PostgreSQL; a SQLite has one.
///
/// A job is leased while it is performed. The lease is renewed as long as this worker lives, and another worker gets the
/// job within 30 s of its death.
package struct AssistantWorker: Service {
    private static let sweepInterval: Duration = .seconds(3600)
    /// The time between two looks at all users, who may lack a job that was set aside.
    private static let wholePlanning: Duration = .seconds(600)
    /// The seconds for which a user counts as newly connected.
    private static let newlyConnected: TimeInterval = 300
    /// The users who get a periodic job in one transaction.
    private static let mostPlanned = 500

    private let database: AssistantDatabase
    private let handlers: [any JobHandler]
    private let tasks: [WorkerTask]
    private let limits: WorkerLimits
    private let clock: BrokerClock
    private let time: @Sendable () -> Date?
    private let lanes: [JobLane]
    private let running = RunningJobs()
    private let logger: Logger
    /// This worker among others.
    package let id = UUID()

    /// - Parameters:
    ///   - handlers: one for each type of jobs that this worker performs.
    ///   - leasesByClock: true in tests, where `clock` counts for leases. Otherwise the database's own time does.
    ///   - jitter: random numbers from 0 to 1.
    package init(
        database: AssistantDatabase, handlers: [any JobHandler], tasks: [WorkerTask] = [],
        limits: WorkerLimits = WorkerLimits(),
        clock: BrokerClock = BrokerClock(), leasesByClock: Bool = false,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }, logger: Logger
    ) {
        self.database = database
        self.handlers = handlers
        self.tasks = tasks
        self.limits = limits
        self.clock = clock
        self.logger = logger
        let readsClock = leasesByClock
        let time: @Sendable () -> Date? = { readsClock ? clock.now : nil }
        self.time = time
        let ends = JobEnds { [jobs = database.jobs] in try await jobs.end($0, at: time()) }
        let running = running
        lanes = handlers.map { handler in
            let runner = JobRunner(
                handler: handler, limits: limits, running: running, ends: ends, now: { clock.now }, jitter: jitter,
                logger: logger)
            return JobLane(jobs: database.jobs, runner: runner, limits: limits, time: time, logger: logger)
        }
    }

    /// Works until the task is cancelled or the service group shuts down. Jobs that are being performed then are given
    /// back.
    package func run() async throws {
        try await database.workers.beat(id, at: time())
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for lane in lanes { group.addTask { await lane.run() } }
                group.addTask { await repeating(limits.heartbeat) { try await renew() } }
                group.addTask {
                    await repeating(limits.planning) { _ = try await plan(connectedWithin: Self.newlyConnected) }
                }
                group.addTask { await repeating(Self.wholePlanning) { _ = try await plan() } }
                group.addTask { await repeating(Self.sweepInterval) { try await sweep() } }
                for task in tasks {
                    group.addTask { await repeating(task.interval) { try await task.body(clock.now) } }
                }
            }
        }
        // The group's cancellation must not keep this from the database.
        await Task { [database, id] in try? await database.workers.end(id) }.value
    }

    /// Plans what is missing and performs what is due, and returns when that is done.
    ///
    /// - Parameter planning: false when no user lacks a periodic job.
    /// - Returns: the number of jobs performed.
    package func performDue(planning: Bool = true) async throws -> Int {
        if planning { _ = try await plan() }
        for task in tasks { try await task.body(clock.now) }
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in lanes { group.addTask { try await lane.performDue() } }
            return try await group.reduce(0, +)
        }
    }

    /// Plans periodic jobs for users who have none.
    ///
    /// - Parameter seconds: only for those who have connected within this time; nil for all.
    func plan(connectedWithin seconds: TimeInterval? = nil) async throws -> Int {
        var count = 0
        for handler in handlers where handler.planning == .perConnection {
            var last: UUID?
            repeat {
                let users = try await database.jobs.usersWithout(
                    handler.type.rawValue, connectedWithin: seconds, after: last, atMost: Self.mostPlanned, at: time())
                let dues = try await firstDues(of: users, handler)
                count += try await database.jobs.begin(handler.type.rawValue, dues)
                last = users.count == Self.mostPlanned ? users.last : nil
            } while last != nil
        }
        return count
    }

    private func firstDues(of users: [UUID], _ handler: any JobHandler) async throws -> [(userID: UUID, due: Date)] {
        let now = clock.now
        return try await withThrowingTaskGroup(of: (userID: UUID, due: Date)?.self) { group in
            for user in users {
                group.addTask {
                    do {
                        return (user, try await handler.firstDue(of: user, at: now))
                    } catch is CancellationError {
                        throw CancellationError()
                    } catch {
                        logger.error(
                            "cannot tell when a user's job is due first",
                            metadata: ["type": "\(handler.type.rawValue)", "error": "\(error)"])
                        return nil
                    }
                }
            }
            return try await group.reduce(into: []) { dues, due in if let due { dues.append(due) } }
        }
    }

    /// Renews the leases of running jobs, and stops those that are no longer this worker's.
    func renew() async throws {
        try await database.workers.beat(id, at: time())
        let jobs = running.jobs
        let held = try await database.jobs.renew(jobs, for: limits.lease, at: time())
        running.stop(
            notHeld: held, among: jobs, startedBefore: clock.now.addingTimeInterval(-limits.longestRun))
    }

    func sweep() async throws {
        _ = try await database.jobs.removeEnded(before: clock.now.addingTimeInterval(-limits.keepsEnded))
    }

    private func repeating(_ interval: Duration, _ body: @escaping @Sendable () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await body()
            } catch is CancellationError {
                return
            } catch {
                logger.error("a task of the worker failed, and is tried again", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: interval)
        }
    }
}
