import BrokerStore
import Clocks
import Logging

/// Ends the requests that have run out of time, and wakes the long polls that wait for them.
struct Timekeeper: Sendable {
    let store: RequestStore
    let clock: BrokerClock
    let changes: RequestChanges
    let logger: Logger

    /// Ends overdue requests. Called before every look at a request, and every second.
    func sweep() async throws {
        for (id, status) in try await store.endOverdue(at: clock.now) {
            logger.info(
                status == .expired ? "request expired" : "request timed out", metadata: ["request": "\(id)"])
            await changes.announce(id)
        }
    }

    /// Sweeps until the task is cancelled.
    func run() async {
        // New and restored deadlines have marked the clock already, so the first mark comes after five seconds.
        var beats = 1
        while !Task.isCancelled {
            do {
                try await sweep()
                for id in try await store.takeAdministrativeChanges() { await changes.announce(id) }
                if beats.isMultiple(of: 5) { try await store.markClock() }
            } catch is CancellationError {
                return
            } catch {
                logger.error("overdue requests could not be ended", metadata: ["error": "\(error)"])
            }
            beats += 1
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
