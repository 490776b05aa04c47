import Clocks
import Encodings
import Foundation

/// A month as a person writes it who does not know the program's way, such as `1/2026`, `Okt 2026` or `letzten Monat`.
enum MeantMonth {
    /// Returns the month as the program takes it; nil for a text that means none.
    ///
    /// - Parameter now: a month without its year is the newest of its name that has begun.
    static func of(_ typed: String, at now: Date = Date(), in zone: TimeZone = .current) -> String? {
        let text = typed.lowercased().trimmingCharacters(in: quotes)
        if let parts = text.wholeMatch(of: /([0-9]{4})[-\/._ ]?([0-9]{1,2})/) { return written(Int(parts.2), parts.1) }
        if let parts = text.wholeMatch(of: /([0-9]{1,2})[-\/._ ]([0-9]{4})/) { return written(Int(parts.1), parts.2) }
        // A day means its month. With slashes, countries differ on which number is the month.
        if let parts = text.wholeMatch(of: /([0-9]{4})-([0-9]{1,2})-[0-9]{1,2}/) {
            return written(Int(parts.2), parts.1)
        }
        if let parts = text.wholeMatch(of: /[0-9]{1,2}\. ?([0-9]{1,2})\. ?([0-9]{4})/) {
            return written(Int(parts.1), parts.2)
        }
        if let parts = text.wholeMatch(of: /(\p{L}+)[-\/._ ]*([0-9]{4})/) {
            return written(month(named: parts.1), parts.2)
        }
        if let parts = text.wholeMatch(of: /([0-9]{4})[-\/._ ]*(\p{L}+)/) {
            return written(month(named: parts.2), parts.1)
        }
        if let number = month(named: text[...]) {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let today = calendar.dateComponents([.year, .month], from: now)
            let year = (today.year ?? 0) - (number > today.month ?? 12 ? 1 : 0)
            return written(number, "\(year)")
        }
        let plain = text.folding(options: .diacriticInsensitive, locale: nil).replacing(/[ _.]+/, with: "-")
        // Near to “last-month”, and the opposite of it.
        guard plain != "next-month" else { return nil }
        return nearest(to: plain, among: phrases.keys.sorted()).flatMap { phrases[$0] }
    }

    /// Returns the options for several months, for a text that names two, a year or a quarter; nil for any other.
    ///
    /// - Parameter now: months that have not begun are left out.
    static func range(of typed: String, at now: Date = Date(), in zone: TimeZone = .current) -> String? {
        let text = typed.lowercased().trimmingCharacters(in: quotes)
        func options(_ one: some StringProtocol, _ other: some StringProtocol) -> String? {
            let (first, last) = (min(String(one), String(other)), max(String(one), String(other)))
            let newest = MonthYear.current(at: now, in: zone).description
            return first <= newest ? "--from \(first) --to \(min(last, newest))" : nil
        }
        if let parts = text.wholeMatch(of: /([0-9]{4}-[0-9]{2})\D{1,5}([0-9]{4}-[0-9]{2})/) {
            return options(parts.1, parts.2)
        }
        if let parts = text.wholeMatch(of: /((?:19|20)[0-9]{2})/) { return options("\(parts.1)-01", "\(parts.1)-12") }
        let quarter =
            text.wholeMatch(of: /([0-9]{4})[-\/ ]?q([1-4])/).map { ($0.1, Int($0.2)) }
            ?? text.wholeMatch(of: /q([1-4])[-\/ ]?([0-9]{4})/).map { ($0.2, Int($0.1)) }
        guard case (let year, let number?)? = quarter else { return nil }
        guard let first = written(number * 3 - 2, year), let last = written(number * 3, year) else { return nil }
        return options(first, last)
    }

    private static let quotes = CharacterSet(charactersIn: "“”„‟\"‘’‚'«»` ")

    private static func written(_ month: Int?, _ year: some StringProtocol) -> String? {
        guard let month, (1...12).contains(month) else { return nil }
        return "\(year)-\(month < 10 ? "0" : "")\(month)"
    }

    /// Returns the month of a name in a language of Europe, or of a mistyped English one.
    private static func month(named word: Substring) -> Int? {
        MonthWords.month(word)
            ?? nearest(to: String(word), among: names).flatMap { names.firstIndex(of: $0) }.map { $0 + 1 }
    }

    private static let names = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// The last month and this one as the languages of the pages call them, without accents.
    private static let phrases = [
        "last-month": "last-month", "previous-month": "last-month", "letzter-monat": "last-month",
        "letzten-monat": "last-month", "vormonat": "last-month", "mois-dernier": "last-month",
        "dernier-mois": "last-month", "mes-pasado": "last-month", "ultimo-mes": "last-month",
        "this-month": "this-month", "current-month": "this-month", "dieser-monat": "this-month",
        "diesen-monat": "this-month", "ce-mois": "this-month", "este-mes": "this-month",
    ]
}
