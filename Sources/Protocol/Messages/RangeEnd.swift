import Clocks

/// An end of the range of a request: a month, or a day of one.
package struct RangeEnd: Sendable, Hashable, CustomStringConvertible {
    package let month: MonthYear
    /// 1…31; nil for the whole month.
    package let day: Int?

    package init(_ month: MonthYear) { self.init(month, nil) }

    init(_ month: MonthYear, _ day: Int?) { (self.month, self.day) = (month, day) }

    /// Reads the forms `2026-01` and `2026-01-15`, and no other.
    package init?(_ text: String) {
        guard text.utf8.count > 7 else {
            guard let month = MonthYear(text) else { return nil }
            self.init(month)
            return
        }
        guard let month = MonthYear(String(text.prefix(7))),
            let day = Int(text.suffix(2)), (1...MonthYear.days(in: month.month, of: month.year)).contains(day),
            month.date(of: day) == text
        else { return nil }
        self.init(month, day)
    }

    /// Returns whether a range from this end to the other has a day at least.
    package func mayPrecede(_ last: RangeEnd) -> Bool {
        month < last.month || month == last.month && (day ?? 1) <= (last.day ?? month.length)
    }

    /// The form `2026-01` or `2026-01-15`.
    package var description: String { day.map(month.date) ?? month.description }
}

extension MonthYear {
    /// The number of days of the month.
    package var length: Int { MonthYear.days(in: month, of: year) }

    /// Returns a day of the month as in ISO 8601, such as `2026-01-15`.
    package func date(of day: Int) -> String { "\(self)-" + (day < 10 ? "0" : "") + "\(day)" }
}
