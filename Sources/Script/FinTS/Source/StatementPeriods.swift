import Clocks

/// Chooses the statements of a month among those that a bank sent.
enum StatementPeriods {
    /// Returns the statements of a month: the one that ends in it, or covers it. A bank may send one for each quarter.
    ///
    /// A statement without its days belongs to the month before the day it was made, if that is one of the first 15 days
    /// of a month, and to that month otherwise.
    ///
    /// - Returns: each once, the oldest first: by their last days, by the days they were made, and by their numbers.
    static func statements(_ statements: [(statement: SentStatement, made: CalendarDate?)], of month: MonthYear)
        -> [SentStatement]
    {
        var seen: Set<[UInt8]> = []
        return statements.filter { item in
            if let days = item.statement.days {
                let (first, last) = (MonthYear(days.lowerBound), MonthYear(days.upperBound))
                return last == month || first < month && month < last || first == month && days.lowerBound.day == 1
            }
            guard let made = item.statement.created ?? item.made else { return false }
            let madeIn = MonthYear(made)
            return (made.day <= 15 ? madeIn.previous : madeIn) == month
        }.sorted { left, right in
            let (first, second) = (order(left.statement, left.made), order(right.statement, right.made))
            return first.lexicographicallyPrecedes(second)
        }.map(\.statement).filter { seen.insert($0.bytes).inserted }
    }

    private static func order(_ statement: SentStatement, _ made: CalendarDate?) -> [Int] {
        let created = statement.created ?? made
        return [statement.days?.upperBound ?? created, created].flatMap { day in
            day.map { [$0.year, $0.month, $0.day] } ?? [0, 0, 0]
        } + [statement.number?.year ?? 0, statement.number?.number ?? 0]
    }

    /// Returns the days of a month up to today; nil for a month that has not begun.
    static func days(of month: MonthYear, within days: ClosedRange<Int>?, today: CalendarDate) -> ClosedRange<
        CalendarDate
    >? {
        let last = MonthYear.days(in: month.month, of: month.year)
        let range = days ?? 1...last
        guard let from = CalendarDate(year: month.year, month: month.month, day: range.lowerBound),
            let to = CalendarDate(year: month.year, month: month.month, day: min(range.upperBound, last)), from <= today
        else { return nil }
        return from...min(to, today)
    }
}

extension MonthYear {
    init(_ date: CalendarDate) {
        // A date's month is one of twelve, and years before 1900 have no statements.
        guard let month = MonthYear(month: date.month, year: max(1900, date.year)) else {
            preconditionFailure("\(date) has no month")
        }
        self = month
    }
}
