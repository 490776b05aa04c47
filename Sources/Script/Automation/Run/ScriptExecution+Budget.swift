import BankScript
import Clocks
import Foundation

// The number of requests that a bank allows.

extension ScriptExecution {
    /// Counts a request that is about to leave, where the bank allows a number of them a day. Where it allows a number of them a
    /// minute, waits until there is room for it.
    ///
    /// - Throws: ``RunFailure`` when those of a day are used up.
    func countRequest() async throws {
        switch script.budget {
        case .aDay(let limit):
            let next = try await services.requests.count(forBank: script.id, limit: limit, at: services.clock.now)
            if let next { throw RunFailure.overBudget(limit, until: next) }
        case .aMinute:
            guard let gap = script.budget?.gap else { return }
            let wait = pace.wait(for: gap, at: services.clock.now)
            pace.inLine += 1
            defer { pace.inLine -= 1 }
            if wait > .zero { try await services.clock.sleep(for: wait) }
            pace.latest = services.clock.now
        case nil: break
        }
    }
}

/// The times of a run's requests. Downloads that run side by side stand in line.
struct RequestPace {
    /// The time of the latest request; nil before the first.
    var latest: Date?
    /// The number of requests that wait for their turn.
    var inLine = 0

    /// Returns the time that a request waits from now on, so that at least the gap is between any two.
    func wait(for gap: Duration, at now: Date) -> Duration {
        guard let latest else { return gap * inLine }
        // A clock that was set back does not make a run wait longer than the gap.
        let passed = max(0, now.timeIntervalSince(latest))
        return max(.zero, gap - .seconds(passed)) + gap * inLine
    }
}
