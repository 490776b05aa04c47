import Clocks
import Foundation
import Languages

/// The sentences of the page, in the language of the person who is answered.
///
/// The language belongs to a request, and every sentence of the answer needs it: ``PageLanguage`` sets it for the task that
/// answers. Outside of one it is English, as at the terminal.
enum PageText {
    @TaskLocal static var sentences = PageResources.sentences[.english]

    /// Returns the sentence of a key, with values in its places.
    static func of(_ key: String, _ values: [String: String] = [:]) -> String { sentences(key, values) }

    /// True when the page is not in English, so that a text of the program that comes in English alone has to be marked as such.
    static var isForeign: Bool { sentences.language != .english }

    // MARK: Dates

    /// Returns a month, such as October 2026.
    static func month(_ period: MonthYear) -> String {
        of("date.month", ["month": name(ofMonth: period.month), "year": String(period.year)])
    }

    /// Returns a day, such as 3 March 2026.
    static func day(_ day: Int, of period: MonthYear) -> String {
        let number = sentences.language == .french && day == 1 ? "1er" : String(day)
        return of(
            "date.day", ["day": number, "month": name(ofMonth: period.month), "year": String(period.year)])
    }

    /// Returns the day of a moment.
    ///
    /// - Parameter zone: the zone that days are counted in.
    static func day(_ date: Date, in zone: TimeZone = .current) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.day, .month, .year], from: date)
        guard let month = MonthYear(month: parts.month ?? 0, year: parts.year ?? 0) else { return "" }
        return day(parts.day ?? 0, of: month)
    }

    private static func name(ofMonth number: Int) -> String {
        let names = [
            "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
            "november", "december",
        ]
        return of("month.\(names[number - 1])")
    }
}
