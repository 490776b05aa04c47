import Clocks
import Logging

/// Ends what has run out of time, and tells everybody who waits for it.
struct Timekeeper: Sendable {
    let store: RequestStore
    let clock: BrokerClock
    let changes: RequestChanges
    let logger: Logger

    /// Before every look at a request, and every second.
    func sweep() async throws {
        for (id, status) in try await store.endOverdue(at: clock.now) {
            logger.info(
                status == .expired ? "request expired" : "request timed out", metadata: ["request": "\(id)"])
            await changes.announce(id)
        }
    }

    /// Sweeps until the task is cancelled.
    func run() async {
        // Whatever makes a deadline, or takes one up again at the start, marks the clock itself.
        var beats = 1
        while !Task.isCancelled {
            do {
                try await sweep()
                for id in try await store.takeChangesBeside() { await changes.announce(id) }
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
