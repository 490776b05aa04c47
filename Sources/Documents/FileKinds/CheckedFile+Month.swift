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
        let wanted = month.year * 12 + month.month - 1
        let booked = statements.flatMap(\.transactions).map(\.booked)
        // The month of a card's statement is that of its cycle's end.
        if (booked + statements.compactMap(\.to)).contains(where: { $0.monthNumber == wanted }) { return true }
        guard booked.isEmpty else { return false }
        // The end may be the first day after the period, or the day on which the file was made.
        let spans = statements.compactMap { statement in
            statement.to.map { ((statement.from ?? $0).monthNumber, $0.monthNumber) }
        }
        return spans.isEmpty ? nil : spans.contains { $0.0 <= wanted && wanted <= $0.1 }
    }
}
