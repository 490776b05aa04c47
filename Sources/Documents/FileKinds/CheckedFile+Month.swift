import Clocks

extension CheckedFile {
    /// Returns whether the file has bookings in a month; where it has none at all, whether its period ends there.
    ///
    /// - Returns: nil for a file that does not say its days in one way: a PDF, a page, a sheet, CSV and QIF.
    package func hasBookings(in month: MonthYear) -> Bool? {
        guard kind.bookings?.statesDays == true else { return nil }
        var options = ReadingOptions()
        options.currency = "XXX"
        guard let statements = try? TransactionFile.read(bytes, as: kind, options: options) else { return nil }
        let booked = statements.flatMap(\.transactions).map(\.booked)
        let days = booked.isEmpty ? statements.compactMap(\.to) : booked
        guard !days.isEmpty else { return nil }
        return days.contains { $0.year == month.year && $0.month == month.month }
    }
}
