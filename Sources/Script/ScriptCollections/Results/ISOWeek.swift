import Foundation

/// A week of ISO 8601: from Monday to Sunday, in UTC.
package struct ISOWeek: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let year: Int
    /// From 1 to 53.
    package let week: Int

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// The week of a time.
    package init(_ date: Date) {
        let parts = Self.calendar.dateComponents([.yearForWeekOfYear, .weekOfYear], from: date)
        year = parts.yearForWeekOfYear ?? 0
        week = parts.weekOfYear ?? 0
    }

    /// Reads a week such as `2026-W48`; nil for anything else, and for a week that its year does not have.
    package init?(_ text: String) {
        guard let match = text.wholeMatch(of: /([0-9]{4})-W([0-9]{2})/), let year = Int(match.1),
            let week = Int(match.2),
            (2020...2999).contains(year), (1...53).contains(week)
        else { return nil }
        self.year = year
        self.week = week
        guard ISOWeek(start) == self else { return nil }
    }

    /// Its Monday, at midnight.
    package var start: Date {
        let parts = DateComponents(weekday: 2, weekOfYear: week, yearForWeekOfYear: year)
        return Self.calendar.date(from: parts) ?? .distantPast
    }

    package static func < (left: ISOWeek, right: ISOWeek) -> Bool { (left.year, left.week) < (right.year, right.week) }

    package var description: String { "\(year)-W\(week < 10 ? "0" : "")\(week)" }
}
