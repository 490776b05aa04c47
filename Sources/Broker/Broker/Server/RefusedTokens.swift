import Clocks
import Foundation
import Storage

/// Records wrong tokens in the audit log: the first at once, and then one record a minute with their number, so that a
/// guesser cannot fill the log.
actor RefusedTokens {
    private static let interval: TimeInterval = 60

    private let audit: AuditLog
    private let clock: BrokerClock
    private var last: Date?
    private var count = 0

    init(_ audit: AuditLog, clock: BrokerClock) {
        self.audit = audit
        self.clock = clock
    }

    func note(from address: String, at route: String) async {
        count += 1
        let now = clock.now
        if let last, (last...last.addingTimeInterval(Self.interval)).contains(now) { return }
        let event = AuditEvent(
            "token.refused", severity: .warning,
            details: [
                "count": .number(Double(count)), "address": .string(address), "route": .string(route),
            ], time: now)
        last = now
        count = 0
        _ = try? await audit.record(event)
    }
}
