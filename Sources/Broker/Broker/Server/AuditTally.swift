import Clocks
import Encodings
import Foundation
import Storage

/// Records events that come in floods: the first of a subject at once, and then one record a minute with the number of those since.
/// What was counted is written when the broker stops, too.
actor AuditTally {
    private static let interval: Duration = .seconds(60)

    /// The common part of the events that are counted together.
    struct Subject: Hashable {
        let kind: AuditKind
        var severity = AuditSeverity.info
        var details: [String: JSONValue] = [:]
    }

    private let audit: AuditLog
    private let clock: BrokerClock
    /// The events that are not recorded yet. A subject without any is forgotten at the next round.
    private var counts: [Subject: Int] = [:]

    init(_ audit: AuditLog, clock: BrokerClock) {
        self.audit = audit
        self.clock = clock
    }

    func note(_ subject: Subject) async {
        if let count = counts[subject] {
            counts[subject] = count + 1
            return
        }
        counts[subject] = 0
        await record(subject, count: 1)
    }

    /// Writes what was counted, every minute until the task is cancelled. The broker calls ``flush()`` once more at its end.
    func run() async {
        while (try? await Task.sleep(for: Self.interval)) != nil { await flush() }
    }

    func flush() async {
        let counted = counts
        counts = counted.filter { $0.value > 0 }.mapValues { _ in 0 }
        for (subject, count) in counted where count > 0 { await record(subject, count: count) }
    }

    private func record(_ subject: Subject, count: Int) async {
        var details = subject.details
        details["count"] = .number(Double(count))
        // An answer does not wait for a log that cannot be written; the broker's own log tells of the disk.
        _ = try? await audit.record(
            AuditEvent(subject.kind, severity: subject.severity, details: .object(details), time: clock.now))
    }
}
