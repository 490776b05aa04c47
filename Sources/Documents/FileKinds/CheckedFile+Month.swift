import Clocks

extension CheckedFile {
    /// Returns whether the file has bookings in a month; where it has none at all, whether its period ends there.
    ///
    /// - Returns: nil for a file that does not say its days in one way: a PDF, a page, a sheet, CSV and QIF.
    package func hasBookings(in month: MonthYear) -> Bool? {
        let format: TransactionFile.Kind
        switch kind {
        case .camt: format = .camt
        case .mt940: format = .mt940
        case .ofx: format = .ofx
        case .pdf, .csv, .qif, .xlsx, .zip, .html, .json: return nil
        }
        var options = ReadingOptions()
        options.currency = "XXX"
        guard let statements = try? TransactionFile.read(bytes, as: format, options: options) else { return nil }
        let booked = statements.flatMap(\.transactions).map(\.booked)
        let days = booked.isEmpty ? statements.compactMap(\.to) : booked
        guard !days.isEmpty else { return nil }
        return days.contains { $0.year == month.year && $0.month == month.month }
    }
}
