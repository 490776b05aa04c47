import BankScript
import Clocks
import Foundation

// The number of requests that a bank allows.

extension ScriptExecution {
    /// Counts a request that is about to leave.
    ///
    /// - Throws: ``RunFailure`` when those of a day are used up.
    func countRequest() async throws { try await services.countRequest(to: script) }
}

extension HostServices {
    /// Counts a request that is about to leave, where the bank allows a number of them a day. Where it allows a number of them a
    /// minute, waits until there is room for it, behind those of other runs.
    ///
    /// - Throws: ``RunFailure`` when those of a day are used up.
    func countRequest(to script: BankScript) async throws {
        switch script.budget {
        case .aDay(let limit):
            let next = try await requests.count(forBank: script.id, limit: limit, at: clock.now)
            if let next { throw RunFailure.overBudget(limit, until: next) }
        case .aMinute:
            guard let gap = script.budget?.gap else { return }
            let wait = try await requests.turn(forBank: script.id, gap: gap, at: clock.now)
            if wait > .zero { try await clock.sleep(for: wait) }
        case nil: break
        }
    }
}
