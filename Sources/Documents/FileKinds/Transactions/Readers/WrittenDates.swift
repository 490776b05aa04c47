import Clocks

/// Dates in an order that the file does not state, of digits or with the month in words.
struct WrittenDates {
    private let order: ReadingOptions.DateOrder
    /// True when the person or the format said the order: years of two digits may then stand first.
    private let isStated: Bool

    /// Finds out the order from all dates of a file.
    ///
    /// - Throws: `ambiguous` when several orders fit and none was given.
    init(_ texts: some Collection<String>, order: ReadingOptions.DateOrder?) throws(ReadingError) {
        isStated = order != nil
        if let order {
            self.order = order
            return
        }
        // A month in words says its order itself.
        let open = texts.filter { Self.namedDay($0) == nil }
        guard let first = open.first else {
            self.order = .dayMonthYear
            return
        }
        // The order that the most dates fit: one that fits no order is one line's fault.
        let counts = ReadingOptions.DateOrder.allCases.map { order in
            (order: order, count: open.count { Self.day($0, order) != nil })
        }
        let most = counts.map(\.count).max() ?? 0
        let fitting = counts.filter { $0.count == most && most > 0 }.map(\.order)
        // A full stop separates German dates, which begin with the day.
        if fitting.contains(.dayMonthYear), first.prefix(4).contains(".") {
            self.order = .dayMonthYear
            return
        }
        guard let only = fitting.first, fitting.count == 1 else {
            let example = ReadingError.figure(first)
            throw ReadingError(
                fitting.isEmpty ? .date : .ambiguous,
                fitting.isEmpty
                    ? "the dates, such as \(example), fit no order of day, month and year; give the order with --date-order to see which one is wrong"
                    : "the dates, such as \(example), may begin with the day or the month; say which with --date-order dmy or mdy"
            )
        }
        if Self.mayBeAnother(than: only, Array(open)) {
            throw ReadingError(
                .ambiguous,
                "the dates, such as \(ReadingError.figure(first)), may begin with the day or with the year; say which with --date-order dmy or ymd"
            )
        }
        self.order = only
    }

    /// Returns whether years of two digits are more likely to stand elsewhere: in another order the dates are all of a year, and
    /// nearer to one another than in this one.
    private static func mayBeAnother(than order: ReadingOptions.DateOrder, _ texts: [String]) -> Bool {
        func months(_ order: ReadingOptions.DateOrder) -> Int? {
            let days = texts.compactMap { day($0, order, allowsShortYears: true) }
            guard days.count == texts.count, let first = days.min(), let last = days.max() else { return nil }
            return last.monthNumber - first.monthNumber
        }
        let hasLongYears = texts.contains { text in
            text.utf8.split { !(0x30...0x39).contains($0) }.contains { $0.count == 4 || $0.count == 8 }
        }
        guard !hasLongYears, let own = months(order) else { return false }
        if own == 0 { return mayBeginWithYear(texts, in: order) }
        return ReadingOptions.DateOrder.allCases.contains { other in
            other != order && months(other).map { $0 <= 12 && $0 < own } == true
        }
    }

    /// Returns whether dates of one month, such as 25-03-31, are earlier when the year stands first: a file is of the past.
    private static func mayBeginWithYear(_ texts: [String], in order: ReadingOptions.DateOrder) -> Bool {
        guard order != .yearMonthDay, texts.allSatisfy({ $0.contains("-") }) else { return false }
        let own = texts.compactMap { day($0, order) }
        let other = texts.compactMap { day($0, .yearMonthDay, allowsShortYears: true) }
        guard other.count == texts.count, let last = other.max(), let first = own.min() else { return false }
        // Several dates would be one day of the month in several years, which a file rarely has.
        return last < first && other.allSatisfy { $0 == last }
    }

    func day(_ text: String, line: Int) throws(ReadingError) -> CalendarDay {
        guard let day = Self.namedDay(text) ?? Self.day(text, order, allowsShortYears: isStated) else {
            throw ReadingError(.date, line: line, reason(text))
        }
        return day
    }

    /// Why a text is not a date. Another order is named only where it helps.
    private func reason(_ text: String) -> String {
        guard !text.isEmpty else { return "the date is missing" }
        let figure = ReadingError.figure(text)
        guard text.contains(where: \.isNumber) else { return "\(figure) is not a date" }
        let others = ReadingOptions.DateOrder.allCases.filter {
            $0 != order && Self.day(text, $0, allowsShortYears: true) != nil
        }
        return others.isEmpty
            ? "the date \(figure) does not exist"
            : "the date \(figure) does not exist in the order \(order.rawValue); give another with --date-order"
    }

    /// Returns whether a text is words and not a date, as in the line of a total: `Balance of 31.03.2025`.
    static func isWords(_ text: String) -> Bool {
        // A digit begins most dates.
        if let first = text.utf8.first, (0x30...0x39).contains(first) { return false }
        guard text.contains(where: \.isNumber) else { return true }
        // A day and a year around a word are a date, also when its month is in a language that is not known.
        guard text.first?.isNumber != true else { return false }
        return hasUnknownWord(text)
    }

    private static func hasUnknownWord(_ text: String) -> Bool {
        guard mayHaveLetters(text) else { return false }
        return text.split { !$0.isLetter }.contains { word in
            // Short capitals are a time zone.
            let isZone = word.count == 4 && word.allSatisfy(\.isUppercase)
            return word.count > 3 && !isZone && MonthWords.month(word) == nil && !isWeekday(word)
        }
    }

    /// Returns whether a date names the month that is November in Polish and Czech, as it is read, and October in Croatian.
    static func namesListopad(_ text: String) -> Bool { mayHaveLetters(text) && text.lowercased().contains("listopad") }

    /// Returns false for a text of digits and signs of ASCII alone, as most dates are.
    private static func mayHaveLetters(_ text: String) -> Bool { text.utf8.contains { $0 >= 0x40 } }

    private static func isWeekday(_ word: Substring) -> Bool {
        let lower = word.lowercased()
        return ["day", "tag", "dag", "woch", "di", "dì"].contains { lower.hasSuffix($0) }
    }

    /// Reads `26 Jan 2026`, `Mar 03, 2025`, `03-März-25` or `2025 Mar 3`; nil without a month in words.
    private static func namedDay(_ text: String) -> CalendarDay? {
        guard mayHaveLetters(text), text.contains(where: \.isLetter), !isWords(text), !hasUnknownWord(text),
            let month = text.split(whereSeparator: { !$0.isLetter }).compactMap({ MonthWords.month($0) }).last
        else { return nil }
        let digits = text.utf8.split { !(0x30...0x39).contains($0) }
        let numbers = digits.prefix(2).compactMap { CalendarDay.number($0) }
        guard numbers.count == 2 else { return nil }
        let yearFirst = digits[0].count == 4
        guard let year = year(numbers[yearFirst ? 0 : 1], digits[yearFirst ? 0 : 1].count) else { return nil }
        return CalendarDay(year: year, month: month, day: numbers[yearFirst ? 1 : 0])
    }

    private static func day(
        _ text: String, _ order: ReadingOptions.DateOrder, allowsShortYears: Bool = false
    ) -> CalendarDay? {
        guard !isWords(text), !hasUnknownWord(text) else { return nil }
        // Quicken writes 1/ 2'05 for the second of January 2005.
        let numbers = WrittenNumbers(text)
        if numbers.count == 1 {
            let digits = text.utf8.drop { !(0x30...0x39).contains($0) }.prefix { (0x30...0x39).contains($0) }
            return undivided(digits, order, allowsShortYears)
        }
        guard numbers.count >= 3, [numbers.digits.0, numbers.digits.1, numbers.digits.2].allSatisfy({ $0 <= 9 }) else {
            return nil
        }
        let (first, second, third) = numbers.values
        let (written, month, day) =
            switch order {
            case .dayMonthYear: (year(third, numbers.digits.2), second, first)
            case .monthDayYear: (year(third, numbers.digits.2), first, second)
            case .yearMonthDay:
                (
                    numbers.digits.0 == 4 || allowsShortYears ? year(first, numbers.digits.0) : nil, second, third
                )
            }
        return written.flatMap { CalendarDay(year: $0, month: month, day: day) }
    }

    /// The first three numbers of a text, without an array for them: a file has many dates, and each is tried in three orders.
    private struct WrittenNumbers {
        private(set) var count = 0
        private(set) var values = (0, 0, 0)
        private(set) var digits = (0, 0, 0)

        init(_ text: String) {
            var isInside = false
            for byte in text.utf8 {
                guard (0x30...0x39).contains(byte) else {
                    isInside = false
                    continue
                }
                if !isInside { count += 1 }
                isInside = true
                let digit = Int(byte - 0x30)
                // Of a number with too many digits the value does not count.
                switch count {
                case 1: (values.0, digits.0) = (values.0 &* 10 &+ digit, digits.0 + 1)
                case 2: (values.1, digits.1) = (values.1 &* 10 &+ digit, digits.1 + 1)
                case 3: (values.2, digits.2) = (values.2 &* 10 &+ digit, digits.2 + 1)
                default: break
                }
            }
        }
    }

    /// Reads `20250331` and `250331`, and in the other orders `31032025`, and `310325` if the order is stated.
    private static func undivided(
        _ digits: Substring.UTF8View, _ order: ReadingOptions.DateOrder, _ allowsShortYears: Bool
    ) -> CalendarDay? {
        if order == .yearMonthDay { return CalendarDay(digits: digits) }
        if allowsShortYears, digits.count == 6, let number = CalendarDay.number(digits) {
            let (first, second) = (number / 10_000, number / 100 % 100)
            let (day, month) = order == .dayMonthYear ? (first, second) : (second, first)
            return year(number % 100, 2).flatMap { CalendarDay(year: $0, month: month, day: day) }
        }
        guard digits.count == 8, let number = CalendarDay.number(digits) else { return nil }
        let (first, second) = (number / 1_000_000, number / 10_000 % 100)
        let (day, month) = order == .dayMonthYear ? (first, second) : (second, first)
        return CalendarDay(year: number % 10_000, month: month, day: day)
    }

    private static func year(_ number: Int, _ digits: Int) -> Int? {
        switch digits {
        case 4: number
        case 1, 2: number < 70 ? 2000 + number : 1900 + number
        default: nil
        }
    }
}
