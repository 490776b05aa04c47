import Clocks
import Foundation
import Secrets

extension SecondFactorProvider {
    /// Returns the provider's code, or nil when the challenge's deadline has passed. A provider that does not heed its
    /// cancellation is left behind: a plug-in that hangs must not hold up the run.
    func code(for challenge: SecondFactorChallenge, by clock: any RunClock) async throws -> Secret? {
        let left = challenge.deadline.timeIntervalSince(clock.now)
        guard left > 0 else { return nil }
        do {
            return try await callingOut(atMost: .seconds(left), on: clock) { try await code(for: challenge) }
        } catch is TimeLimitExceeded {
            return nil
        }
    }
}
