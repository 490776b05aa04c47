import Clocks
import Encodings
import Foundation

/// A mail in which a bank says that a statement is ready.
package struct StatementMail: Sendable, Hashable {
    /// A statement of an earlier month than the last three is not offered: a mail of a bank speaks of a new one.
    private static let mostMonths = 4

    /// The month of the statement: the one that the subject names, or the month before the mail came.
    package let month: MonthYear

    /// Reads the subject and the sender. Nothing else of the mail is known.
    ///
    /// - Returns: nil for any other mail, and for one whose sender is forged.
    package init?(_ mail: ReceivedMail) {
        guard mail.isIncoming, !mail.isForged else { return nil }
        let subject = ShownText.cleaned(mail.subject, limit: 400).lowercased()
        guard subject.contains(Self.english) || subject.contains(Self.german) else { return nil }
        let received = MonthYear.current(at: mail.receivedAt, in: .gmt)
        guard let month = Self.month(in: subject) ?? received.previous, month <= received,
            month.through(received).count <= Self.mostMonths
        else { return nil }
        self.month = month
    }

    /// Returns the bank that sent a mail: the one whose name stands in the sender or the subject.
    ///
    /// - Returns: nil when none or several do.
    package static func bank<Bank>(of mail: ReceivedMail, among banks: [Bank], name: (Bank) -> String) -> Bank? {
        let text = ShownText.cleaned("\(mail.from) \(mail.subject)", limit: 1000).lowercased()
        let found = banks.filter { bank in
            let name = name(bank).foldingSpace.lowercased()
            return name.count > 2 && text.contains(name)
        }
        return found.count == 1 ? found[0] : nil
    }

    // Compiled once, as in `SubjectDeadline`.

    private nonisolated(unsafe) static let english =
        /\b(?:e-?statement|(?:account|bank|monthly|your|new) (?:[\p{L}0-9]+ ){0,3}statement|statements?)s? (?:for [\p{L}0-9 ]{1,40} )?(?:is|are)?(?: now)? ?(?:ready|available|online|here)\b|\b(?:your|new) (?:[\p{L}0-9]+ ){0,3}e?-?statement\b/

    private nonisolated(unsafe) static let german = /\b(?:neuer? |ihr )?(?:e-)?kontoausz(?:u|ü|ue)ge?\b/

    private nonisolated(unsafe) static let yearAndMonth = /\b(20[0-9]{2})-(0[1-9]|1[0-2])\b/
    private nonisolated(unsafe) static let monthAndYear = /\b(0?[1-9]|1[0-2])\/(20[0-9]{2})\b/
    private nonisolated(unsafe) static let nameAndYear = /\b(\p{L}{3,9}) (20[0-9]{2})\b/

    private static let names: [(String, Int)] = [
        ("january", 1), ("januar", 1), ("jänner", 1), ("february", 2), ("februar", 2), ("march", 3),
        ("märz", 3), ("april", 4), ("may", 5), ("mai", 5), ("june", 6), ("juni", 6), ("july", 7), ("juli", 7),
        ("august", 8), ("september", 9), ("october", 10), ("oktober", 10), ("november", 11), ("december", 12),
        ("dezember", 12),
    ]

    private static func month(in subject: String) -> MonthYear? {
        if let match = subject.firstMatch(of: yearAndMonth), let year = Int(match.1),
            let month = Int(match.2)
        {
            return MonthYear(month: month, year: year)
        }
        if let match = subject.firstMatch(of: monthAndYear), let month = Int(match.1),
            let year = Int(match.2)
        {
            return MonthYear(month: month, year: year)
        }
        guard let match = subject.firstMatch(of: nameAndYear), let year = Int(match.2),
            let month = names.first(where: { $0.0 == match.1 })?.1
        else { return nil }
        return MonthYear(month: month, year: year)
    }
}
