/// A day of the proleptic Gregorian calendar, as ISO 8601 writes it: `2026-01-31`.
public struct CalendarDate: Sendable, Hashable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// 1…9999.
    public let year: Int
    /// 1…12.
    public let month: Int
    /// 1…31, as many as the month has.
    public let day: Int

    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...MonthYear.days(in: month, of: year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `2026-01-31`; nil for another form, and for a day that does not exist.
    public init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isDigits = parts.allSatisfy { $0.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }
        guard parts.map(\.count) == [4, 2, 2], isDigits else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// A date in source code. The program stops for a day that does not exist.
    public init(stringLiteral text: String) {
        guard let date = CalendarDate(text) else { preconditionFailure("“\(text)” is not a date") }
        self = date
    }

    public var description: String {
        [(year, 4), (month, 2), (day, 2)].map { number, width in
            String(repeating: "0", count: width - String(number).count) + String(number)
        }.joined(separator: "-")
    }

    public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
