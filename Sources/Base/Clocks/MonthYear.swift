import Foundation

/// The month and year of a statement.
public struct MonthYear: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The month, 1…12.
    public let month: Int
    /// The year, 1900…9999.
    public let year: Int

    public init?(month: Int, year: Int) {
        guard (1...12).contains(month), (1900...9999).contains(year) else { return nil }
        self.month = month
        self.year = year
    }

    /// Reads the form `2026-01` and no other.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 7, parts.count == 2, let year = Int(parts[0]), let month = Int(parts[1]),
            let value = MonthYear(month: month, year: year), value.description == text
        else { return nil }
        self = value
    }

    private static let abbreviations = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The month's name in file names, `jan` to `dec`.
    public var abbreviation: String { Self.abbreviations[month - 1] }

    /// The form `2026-01`.
    public var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

    /// Counts the days of a month in the proleptic Gregorian calendar (ISO 8601), for any year.
    ///
    /// - Parameter month: 1…12.
    public static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The month before this one; nil before January 1900.
    public var previous: MonthYear? {
        month > 1 ? MonthYear(month: month - 1, year: year) : MonthYear(month: 12, year: year - 1)
    }

    /// The month after this one; nil after December 9999.
    public var next: MonthYear? {
        month < 12 ? MonthYear(month: month + 1, year: year) : MonthYear(month: 1, year: year + 1)
    }

    /// The months from this one to the last one, both included; none if the last one comes before.
    public func through(_ last: MonthYear) -> [MonthYear] {
        Array(sequence(first: self) { $0 < last ? $0.next : nil }.prefix { $0 <= last })
    }

    /// The latest month that has begun anywhere on Earth at this moment: the month at UTC+14, where days begin first.
    public static func latest(at moment: Date) -> MonthYear {
        current(at: moment, in: .init(secondsFromGMT: 14 * 3600) ?? .gmt)
    }

    /// The month that it is at this moment in a time zone.
    public static func current(at moment: Date, in zone: TimeZone) -> MonthYear {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.year, .month], from: moment)
        guard let month = parts.month, let year = parts.year, let found = MonthYear(month: month, year: year) else {
            preconditionFailure("the clock shows a year outside 1900…9999")
        }
        return found
    }

    public static func < (left: MonthYear, right: MonthYear) -> Bool {
        (left.year, left.month) < (right.year, right.month)
    }
}
