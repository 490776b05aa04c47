import AssistantProcesses
import AssistantStore
import Clocks
import Foundation
import Logging
import Machine
import Synchronization

/// Performs the requests to delete everything (specification, section 9.3): it ends each consent at Google through the
/// enclave, and then deletes what is stored.
///
/// Every step can be repeated, so a request whose process was killed goes on where it was: a consent that is ended already
/// counts as ended, and everything stored goes in one transaction.
package final class PrivacyWorker: Sendable {
    /// The most requests that are performed at a time.
    private static let most = 16
    /// The time to look for requests that another process has accepted.
    private static let interval: Duration = .seconds(5)
    /// The time for which consents that cannot be ended hold up the deletion here. The promise is one day.
    package static let revocationTime: TimeInterval = 12 * 3600
    /// The tries of this process before it gives up: it may have started after that time.
    private static let leastTries = 3

    private let database: AssistantDatabase
    private let enclave: EnclaveClient
    private let clock: BrokerClock
    private let logger: Logger
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let progress = Mutex(Progress())

    private struct Progress {
        /// The tries of each request that did not succeed, and the time of the next one.
        var tries: [String: (count: Int, next: Duration)] = [:]
        var running: Set<String> = []
    }

    package init(database: AssistantDatabase, enclave: EnclaveClient, clock: BrokerClock, logger: Logger) {
        self.database = database
        self.enclave = enclave
        self.clock = clock
        self.logger = logger
        (wakes, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Makes the worker look for requests at once.
    package func wake() { waker.yield() }

    /// Works until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in
                while !Task.isCancelled {
                    wake()
                    try? await Task.sleep(for: Self.interval)
                }
                waker.finish()
            }
            for await _ in wakes {
                do {
                    // Side by side, so that one that is stuck holds no other one up.
                    for deletion in try await takeDue() { group.addTask { await self.perform(deletion) } }
                } catch is CancellationError {
                    break
                } catch {
                    logger.error("requests to delete everything cannot be read", metadata: ["error": "\(error)"])
                }
            }
            group.cancelAll()
        }
    }

    /// Performs the requests whose time has come, and returns when each was tried once.
    package func performDue() async throws {
        let due = try await takeDue()
        await withDiscardingTaskGroup { group in
            for deletion in due { group.addTask { await self.perform(deletion) } }
        }
    }

    /// Takes the requests whose time has come. New ones come before those that have failed.
    private func takeDue() async throws -> [UnfinishedDeletion] {
        let unfinished = try await database.privacy.unfinished(atMost: 10_000)
        let now = clock.elapsed
        return progress.withLock { progress in
            let due = unfinished.filter { deletion in
                !progress.running.contains(deletion.id) && progress.tries[deletion.id].map { $0.next <= now } ?? true
            }
            let fresh = due.filter { progress.tries[$0.id] == nil }
            let failed = due.filter { progress.tries[$0.id] != nil }
            let taken = (fresh + failed).prefix(max(0, Self.most - progress.running.count))
            progress.running.formUnion(taken.map(\.id))
            return Array(taken)
        }
    }

    private func perform(_ deletion: UnfinishedDeletion) async {
        defer {
            progress.withLock { _ = $0.running.remove(deletion.id) }
            wake()
        }
        do {
            try await database.privacy.begin(deletion.id)
            let isRevoked = try await revoke(deletion)
            if isRevoked == nil {
                waitLonger(deletion)
                return
            }
            if try await database.privacy.finish(deletion, isRevoked: isRevoked ?? false, at: clock.now) {
                logger.notice("everything of a user was deleted", metadata: ["request": "del_\(deletion.id)"])
            }
            progress.withLock { $0.tries[deletion.id] = nil }
        } catch {
            logger.error(
                "a request to delete everything is tried again",
                metadata: ["request": "del_\(deletion.id)", "error": "\(error)"])
            waitLonger(deletion)
        }
    }

    /// Ends the user's consents at Google.
    ///
    /// - Returns: nil when it has to be tried again; false when that has been tried for too long.
    private func revoke(_ deletion: UnfinishedDeletion) async throws -> Bool? {
        var areRevoked = true
        for connector in try await database.connectors.connectors(of: deletion.userID)
        where connector.status != .revoked {
            do throws(ProcessSocketError) {
                try await enclave.revoke(connector.id, user: deletion.userID)
            } catch {
                if case .refused(let code, _) = error, code == EnclaveRefusal.connectorNotFound.rawValue { continue }
                logger.error(
                    "a consent cannot be ended at Google",
                    metadata: ["request": "del_\(deletion.id)", "error": "\(error)"])
                areRevoked = false
                continue
            }
            _ = try await database.connectors.move(
                connector.id, of: deletion.userID, to: .revoked,
                recording: NewAuditEvent("CONNECTOR_REVOKED", connector: connector.provider), at: clock.now)
        }
        if areRevoked { return true }
        let tries = progress.withLock { ($0.tries[deletion.id]?.count ?? 0) + 1 }
        // A try that the end of this process cuts short does not count.
        let givesUp =
            clock.now.timeIntervalSince(deletion.asked) > Self.revocationTime && tries >= Self.leastTries
            && !Task.isCancelled
        return givesUp ? false : nil
    }

    /// Waits twice as long before each next try, up to a minute.
    private func waitLonger(_ deletion: UnfinishedDeletion) {
        let now = clock.elapsed
        progress.withLock { progress in
            let count = (progress.tries[deletion.id]?.count ?? 0) + 1
            progress.tries[deletion.id] = (count, now + .seconds(min(1 << min(count - 1, 6), 60)))
        }
    }
}
