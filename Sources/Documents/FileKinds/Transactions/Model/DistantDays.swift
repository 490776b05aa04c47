/// Finds days that a statement can hardly have: most likely a year such as 2062 or 1925 was mistyped, or a program made it.
///
/// A booking keeps the day that the file has, because the right one is not known. It is said, so that a wrong year is never
/// passed on in silence.
struct DistantDays {
    /// The first day that the file states for the statement.
    let start: CalendarDay?
    /// The last day that the file states for the statement.
    let end: CalendarDay?

    /// Banks book a correction some weeks late, and a file's stated days may be those of its making.
    private static let months = 6
    /// An account may rest for years: without stated days, only bookings further apart are odd.
    private static let monthsApart = 120
    /// A value is dated back by months where interest is corrected.
    private static let monthsOfValue = 24

    /// Returns a sentence for each kind of odd day.
    func notes(_ transactions: [Transaction]) -> [String] {
        [outside(transactions), apart(transactions), value(transactions)].compactMap(\.self)
    }

    /// Says it where bookings are dated after a day on which the file was already there.
    static func future(_ transactions: [Transaction], after today: CalendarDay) -> String? {
        // Banks book the next working day ahead, and standing orders some weeks.
        let late = transactions.indices.filter { transactions[$0].booked.monthNumber > today.monthNumber + 1 }
        guard let first = late.first else { return nil }
        return
            "bookings are dated after today, such as \(transactions[first].booked); they are kept as the file has them, so compare the year: \(late.count)"
    }

    private func outside(_ transactions: [Transaction]) -> String? {
        // By their places: a copy of each booking takes longer than to look at its day.
        let odd = transactions.indices.filter { index in
            let month = transactions[index].booked.monthNumber
            return start.map { month < $0.monthNumber - Self.months } ?? false
                || end.map { month > $0.monthNumber + Self.months } ?? false
        }
        guard let first = odd.first else { return nil }
        let days = [start.map { "from \($0)" }, end.map { "to \($0)" }].compactMap(\.self).joined(separator: " ")
        return
            "bookings are far from the days that the file states (\(days)), such as \(transactions[first].booked); they are kept as the file has them, so compare the year: \(odd.count)"
    }

    private func apart(_ transactions: [Transaction]) -> String? {
        guard start == nil || end == nil else { return nil }
        let days = Set(transactions.map { $0.booked }).sorted()
        guard
            let (before, after) = zip(days, days.dropFirst()).first(where: {
                $1.monthNumber - $0.monthNumber > Self.monthsApart
            })
        else { return nil }
        return
            "bookings are more than ten years apart, and none is between \(before) and \(after); they are kept as the file has them, so compare the years"
    }

    private func value(_ transactions: [Transaction]) -> String? {
        let odd = transactions.indices.filter { index in
            let booked = transactions[index].booked
            return transactions[index].valued.map { abs($0.monthNumber - booked.monthNumber) > Self.monthsOfValue }
                ?? false
        }
        guard let first = odd.first, let valued = transactions[first].valued else { return nil }
        return
            "value dates are years from their booking, such as \(valued) of a booking of \(transactions[first].booked); they are kept as the file has them, so compare the year: \(odd.count)"
    }
}
