import Clocks
import Encodings
import Foundation
import Storage

/// Records calls without a valid token in the audit log: the first at once, and then one record a minute with their number, so
/// that a guesser cannot fill the log. The last record comes when the broker stops.
actor RefusedTokens {
    private static let interval: Duration = .seconds(60)

    private struct Tally {
        /// Calls that were answered 401.
        var refused = 0
        /// Calls that were answered 429, because there had been too many.
        var limited = 0
        var address = ""
        var route = ""
    }

    private let audit: AuditLog
    private let clock: BrokerClock
    private var tally = Tally()
    /// A record was written since the last round, so that more have to wait for the next.
    private var hasRecorded = false

    init(_ audit: AuditLog, clock: BrokerClock) {
        self.audit = audit
        self.clock = clock
    }

    /// - Parameters:
    ///   - address: where the call came from; of many calls the last one's is recorded.
    ///   - isLimited: the call was answered 429, and its token was not looked at.
    func note(from address: String, at route: String, isLimited: Bool) async {
        if isLimited { tally.limited += 1 } else { tally.refused += 1 }
        tally.address = address
        tally.route = route
        guard !hasRecorded else { return }
        hasRecorded = true
        await record()
    }

    /// Writes what was counted, every minute until the task is cancelled. The broker calls ``flush()`` once more at its end.
    func run() async {
        while (try? await Task.sleep(for: Self.interval)) != nil { await flush() }
    }

    func flush() async {
        hasRecorded = tally.refused + tally.limited > 0
        if hasRecorded { await record() }
    }

    private func record() async {
        let counted = tally
        tally = Tally()
        _ = try? await audit.record(
            AuditEvent(
                .tokenRefused, severity: .warning,
                details: [
                    "count": .number(Double(counted.refused)), "limited": .number(Double(counted.limited)),
                    "address": .string(counted.address), "route": .string(counted.route),
                ], time: clock.now))
    }
}
