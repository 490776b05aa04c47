/// Facts that some formats leave open, and the person knows.
public struct ReadingOptions: Sendable, Hashable {
    /// The order of day and month in dates of digits.
    public enum DateOrder: String, Sendable, Hashable, CaseIterable {
        case dayMonthYear = "dmy"
        case monthDayYear = "mdy"
        case yearMonthDay = "ymd"
    }

    /// For QIF and CSV, which may name none.
    public var account = ""
    /// For QIF, which has none, and for CSV without a column for it.
    public var currency = ""
    /// For QIF and CSV; found out from the file when nil, if it can be.
    public var dateOrder: DateOrder?
    public var columns: CSVColumns?
    public var limits = ReadingLimits()

    public init() {}
}

/// Dates of digits in an order that the file does not state.
struct WrittenDates {
    private let order: ReadingOptions.DateOrder

    /// Finds out the order from all dates of a file.
    ///
    /// - Throws: `ambiguous` when several orders fit and none was given.
    init(_ texts: some Collection<String>, order: ReadingOptions.DateOrder?) throws(ReadingError) {
        if let order {
            self.order = order
            return
        }
        // A full stop separates German dates, which begin with the day.
        if let first = texts.first, first.contains("."), first.prefix(4).utf8.allSatisfy({ $0 != 0x2E }) == false {
            self.order = .dayMonthYear
            return
        }
        let fitting = ReadingOptions.DateOrder.allCases.filter { order in
            texts.allSatisfy { Self.day($0, order) != nil }
        }
        guard let only = fitting.first, fitting.count == 1 else {
            let example = ReadingError.quoted(texts.first ?? "")
            throw ReadingError(
                fitting.isEmpty ? .date : .ambiguous,
                fitting.isEmpty
                    ? "the dates, such as \(example), fit no order of day, month and year; give the order with --date-order to see which one is wrong"
                    : "the dates, such as \(example), may begin with the day or the month; say which with --date-order dmy or mdy"
            )
        }
        self.order = only
    }

    func day(_ text: String, line: Int) throws(ReadingError) -> CalendarDay {
        guard let day = Self.day(text, order) else {
            throw ReadingError(
                .date, line: line,
                "the date \(ReadingError.quoted(text)) does not exist in the order \(order.rawValue); give another with --date-order"
            )
        }
        return day
    }

    private static func day(_ text: String, _ order: ReadingOptions.DateOrder) -> CalendarDay? {
        // Quicken writes 1/ 2'05 for the second of January 2005.
        let digits = text.utf8.split { !(0x30...0x39).contains($0) }
        guard digits.count >= 3 || digits.count == 1 else { return nil }
        if digits.count == 1 { return order == .yearMonthDay ? CalendarDay(digits: digits[0]) : nil }
        let numbers = digits.prefix(3).compactMap { CalendarDay.number($0) }
        guard numbers.count == 3 else { return nil }
        func year(_ place: Int) -> Int? {
            switch digits[place].count {
            case 4: numbers[place]
            case 1, 2: numbers[place] < 70 ? 2000 + numbers[place] : 1900 + numbers[place]
            default: nil
            }
        }
        let (year, month, day) =
            switch order {
            case .dayMonthYear: (year(2), numbers[1], numbers[0])
            case .monthDayYear: (year(2), numbers[0], numbers[1])
            case .yearMonthDay: (digits[0].count == 4 ? year(0) : nil, numbers[1], numbers[2])
            }
        return year.flatMap { CalendarDay(year: $0, month: month, day: day) }
    }
}
