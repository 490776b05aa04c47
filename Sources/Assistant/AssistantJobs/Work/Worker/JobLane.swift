import AssistantStore
import Foundation
import Logging

/// Leases the due jobs of one type and performs them side by side, up to a limit.
struct JobLane: Sendable {
    private static let gathering: Duration = .milliseconds(5)

    let jobs: JobStore
    let runner: JobRunner
    let limits: WorkerLimits
    /// The time of leases; nil for the database's own.
    let time: @Sendable () -> Date?
    let logger: Logger

    private var type: JobType { runner.handler.type }

    /// Works until the task is cancelled.
    func run() async {
        let most = limits.places(for: type)
        let places = Places(most)
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                var free = await places.free()
                if free < most / 4 {
                    // Many jobs are due, and their places come free one after another: one lease serves several of them.
                    try? await Task.sleep(for: Self.gathering)
                    guard !Task.isCancelled else { break }
                    free = await places.free()
                }
                var leased: [LeasedJob] = []
                do {
                    leased = try await jobs.lease(type.rawValue, atMost: free, for: limits.lease, at: time())
                } catch is CancellationError {
                    break
                } catch {
                    logger.error(
                        "due jobs cannot be read", metadata: ["type": "\(type.rawValue)", "error": "\(error)"])
                }
                await places.take(leased.count)
                for job in leased {
                    group.addTask {
                        await runner.perform(job)
                        await places.giveBack()
                    }
                }
                if leased.count < free { try? await Task.sleep(for: limits.look) }
            }
        }
    }

    /// Performs everything that is due, and returns when it is done.
    ///
    /// - Returns: the number of jobs.
    func performDue() async throws -> Int {
        var count = 0
        while true {
            let leased = try await jobs.lease(
                type.rawValue, atMost: limits.places(for: type), for: limits.lease, at: time())
            guard !leased.isEmpty else { return count }
            count += leased.count
            await withDiscardingTaskGroup { group in
                for job in leased { group.addTask { await runner.perform(job) } }
            }
        }
    }
}

/// The places for jobs that run side by side.
private actor Places {
    private var count: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        self.count = count
    }

    /// Waits until a place is free, and returns how many are.
    func free() async -> Int {
        while count == 0 { await withCheckedContinuation { waiting.append($0) } }
        return count
    }

    func take(_ taken: Int) { count -= taken }

    func giveBack() {
        count += 1
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
