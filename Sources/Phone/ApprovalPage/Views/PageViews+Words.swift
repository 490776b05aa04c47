import Clocks
import Foundation
import Messages
import PhoneStore
import Storage

extension PageViews {
    static func words(_ subject: RequestSubject) -> String {
        guard case .documents(let selection) = subject, let first = selection.periods.first,
            let last = selection.periods.last
        else { return PageText.month(subject.periods[0]) }
        let months =
            selection.hasDays
            ? range(
                PageText.day(selection.firstDay ?? 1, of: first),
                PageText.day(selection.lastDay ?? last.length, of: last))
            : first == last ? PageText.month(first) : range(PageText.month(first), PageText.month(last))
        let count =
            selection.count == 1
            ? PageText.of("subject.one") : PageText.of("subject.many", ["count": String(selection.count)])
        let whose =
            selection.accounts.isEmpty
            ? months : PageText.of("subject.of", ["months": months, "accounts": quoted(selection.accounts)])
        let kinds = selection.kinds.map { $0.rawValue.uppercased() }.joined(separator: ", ")
        return "\(whose), \(count) (\(kinds))"
    }

    private static func range(_ first: String, _ last: String) -> String {
        PageText.of("subject.range", ["first": first, "last": last])
    }

    static func quoted(_ accounts: [AccountAlias]) -> String {
        accounts.map { PageText.of("subject.quoted", ["account": $0.description]) }.joined(separator: ", ")
    }

    /// Returns the month of a document, or its days.
    static func words(_ place: DocumentPlace) -> String {
        let month = PageText.month(place.period)
        guard let days = place.days else { return month + place.partWords }
        return PageText.of(
            "date.days", ["first": String(days.lowerBound), "last": String(days.upperBound), "month": month])
            + place.partWords
    }

    static func words(_ status: RequestStatus) -> String {
        switch status {
        case .sent, .pendingApproval: PageText.of("status.waiting")
        case .approved: PageText.of("status.approved")
        case .executing: PageText.of("status.running")
        case .completed: PageText.of("status.completed")
        case .failed: PageText.of("status.failed")
        case .denied: PageText.of("status.denied")
        case .expired: PageText.of("status.expired")
        }
    }

    /// Returns what became of a request: a bank may have had only some of the documents.
    static func words(outcomeOf request: StoredRequest) -> String {
        guard let delivered = request.delivered, delivered.count < delivered.all else { return words(request.status) }
        return PageText.of("status.partly", ["count": String(delivered.count), "all": String(delivered.all)])
    }

    /// Returns the values of the template `moment`: the time for a script, and in this machine's zone, which is named.
    static func moment(_ date: Date) -> [String: String] {
        ["iso": Timestamp(date).description, "text": time(date)]
    }

    /// Returns a time in this machine's zone, which is named.
    static func time(_ date: Date) -> String { PageText.sentences.date(date, as: "date.time") }

    /// Returns the choice of a filter that shows what is at least as severe.
    static func words(least severity: AuditSeverity) -> String {
        switch severity {
        case .info: PageText.of("severity.everything")
        case .warning: PageText.of("severity.warnings")
        case .error: PageText.of("severity.errors")
        case .critical: PageText.of("severity.dangers")
        }
    }

    /// Returns a time that is left: in minutes and seconds, with hours before them from one on, and in days from two on.
    static func clock(_ seconds: Int) -> String {
        guard seconds < 172_800 else { return PageText.of("date.days-left", ["count": String(seconds / 86_400)]) }
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        guard seconds >= 3600 else { return "\(seconds / 60):\(two(seconds % 60))" }
        return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }
}
