import Clocks

extension CheckedFile {
    /// Returns whether the file has bookings in a month, or ends there; where it has none at all, whether its period touches it.
    ///
    /// - Returns: nil for a file that does not say its days in one way: a PDF, a page, a sheet, CSV and QIF.
    package func hasBookings(in month: MonthYear) -> Bool? {
        guard kind.bookings?.statesDays == true else { return nil }
        var options = ReadingOptions()
        options.currency = "XXX"
        guard let statements = try? TransactionFile.read(bytes, as: kind, options: options) else { return nil }
        func number(_ day: CalendarDay) -> Int { day.year * 12 + day.month }
        let wanted = month.year * 12 + month.month
        let booked = statements.flatMap(\.transactions).map(\.booked)
        // The month of a card's statement is that of its cycle's end.
        if (booked + statements.compactMap(\.to)).contains(where: { number($0) == wanted }) { return true }
        guard booked.isEmpty else { return false }
        // The end may be the first day after the period, or the day on which the file was made.
        let spans = statements.compactMap { statement in
            statement.to.map { (number(statement.from ?? $0), number($0)) }
        }
        return spans.isEmpty ? nil : spans.contains { $0.0 <= wanted && wanted <= $0.1 }
    }
}
