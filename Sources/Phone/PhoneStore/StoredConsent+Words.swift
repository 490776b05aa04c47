import Foundation
import Messages

extension StoredConsent {
    /// The consent as the broker is told of it.
    package var told: BankConsent { BankConsent(endsAt: endsAt, endedAt: endedAt, needsOwner: needsOwner) }

    package func stage(at now: Date) -> BankConsent.Stage { told.stage(at: now) }

    /// The moment of the end, if it has passed.
    package func end(by now: Date) -> Date? { told.end(by: now) }

    /// The command that renews it.
    package var command: String { "countersign phone banks \(needsOwner ? "connect" : "change") \(bankID)" }

    /// The state in a few words, such as `until 24 December 2026`; nil where the bank names no end.
    package func state(at now: Date) -> String? {
        if let end = end(by: now) { return "ended on \(Self.day(end))" }
        return endsAt.map { "until \(Self.day($0))" }
    }

    private var renewal: String {
        needsOwner ? "Renew it with: \(command)" : "Store what the bank gives you for a new one with: \(command)"
    }

    /// A sentence that offers to renew it; nil while there is time.
    ///
    /// - Parameter bankName: the bank as its customers know it.
    package func offer(at now: Date, bankName: String) -> String? {
        let day = endsAt.map(Self.day) ?? ""
        switch stage(at: now) {
        case .running: return nil
        case .lastWeek: return "Your consent at \(bankName) ends on \(day), within a week. \(renewal)"
        case .lastDay: return "Your consent at \(bankName) ends on \(day), within a day. \(renewal)"
        case .ended: return "Your consent at \(bankName) ended on \(Self.day(end(by: now) ?? now)). \(renewal)"
        }
    }

    /// The day in UTC, in which interfaces count.
    private static func day(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.timeZone = .gmt
        formatter.dateFormat = "d MMMM yyyy"
        return formatter.string(from: date)
    }
}
