import Clocks
import Foundation
import Messages
import Storage

extension PageViews {
    static func words(_ subject: RequestSubject) -> String {
        guard case .documents(let selection) = subject, let first = selection.periods.first,
            let last = selection.periods.last
        else { return words(subject.periods[0]) }
        let months =
            selection.hasDays
            ? "\(selection.firstDay ?? 1) \(words(first)) to \(selection.lastDay ?? last.length) \(words(last))"
            : first == last ? words(first) : "\(words(first)) to \(words(last))"
        let count = selection.count == 1 ? "1 document" : "\(selection.count) documents"
        let accounts =
            selection.accounts.isEmpty
            ? "" : " of " + selection.accounts.map { "“\($0)”" }.joined(separator: ", ")
        let kinds = selection.kinds.map { $0.rawValue.uppercased() }.joined(separator: ", ")
        return "\(months)\(accounts), \(count) (\(kinds))"
    }

    /// Returns the month of a document, or its days.
    static func words(_ place: DocumentPlace) -> String {
        guard let days = place.days else { return words(place.period) + place.partWords }
        return "\(days.lowerBound)–\(days.upperBound) \(words(place.period))\(place.partWords)"
    }

    static func words(_ period: MonthYear) -> String { "\(month(period)) \(period.year)" }

    static func month(_ period: MonthYear) -> String {
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return names[period.month - 1]
    }

    static func words(_ status: RequestStatus) -> String {
        switch status {
        case .sent, .pendingApproval: "Waiting for you"
        case .approved: "Approved"
        case .executing: "Running"
        case .completed: "Completed"
        case .failed: "Failed"
        case .denied: "Denied"
        case .expired: "Expired"
        }
    }

    /// Returns the values of the template `moment`: the time for a script, and in this machine's zone, which is named.
    static func moment(_ date: Date) -> [String: String] {
        ["iso": Timestamp(date).description, "text": date.inWords()]
    }

    /// Returns the choice of a filter that shows what is at least as severe.
    static func words(least severity: AuditSeverity) -> String {
        switch severity {
        case .info: "Everything"
        case .warning: "Warnings and errors"
        case .error: "Errors"
        case .critical: "Dangers"
        }
    }

    /// Returns a day in this machine's zone, such as 3 March 2026.
    static func day(_ date: Date) -> String {
        date.formatted(Date.FormatStyle(locale: Locale(identifier: "en_GB")).day().month(.wide).year())
    }

    /// Returns a time that is left: in minutes and seconds, with hours before them from one on, and in days from two on.
    static func clock(_ seconds: Int) -> String {
        guard seconds < 172_800 else { return "\(seconds / 86_400) days" }
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        guard seconds >= 3600 else { return "\(seconds / 60):\(two(seconds % 60))" }
        return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }
}
