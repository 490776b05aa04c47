/// Checks the balances of one account's statements against their transactions and against each other.
enum BalanceCheck {
    /// - Parameters:
    ///   - statements: Of one account and currency, in the order of their periods.
    ///   - contained: The indices of those that are a part of another one, and follow nothing.
    static func gaps(in statements: [Statement], apartFrom contained: Set<Int> = []) -> [AccountHistory.Gap] {
        var gaps: [AccountHistory.Gap] = []
        var last: Statement?
        for (index, statement) in statements.enumerated() {
            if let gap = sum(of: statement) { gaps.append(gap) }
            if contained.contains(index) { continue }
            if let before = last, let gap = gap(between: before, and: statement) { gaps.append(gap) }
            // A statement inside another's period, such as the same month in a second file, follows nothing.
            if last?.to == nil || statement.to == nil || statement.to! >= last!.to! { last = statement }
        }
        return gaps
    }

    /// Returns true when a statement's own balances contradict its transactions.
    static func isContradictory(_ statement: Statement) -> Bool { sum(of: statement) != nil }

    /// Checks one statement. Bookings that cannot be read, or are in another currency, are looked for in the whole account.
    private static func sum(of statement: Statement) -> AccountHistory.Gap? {
        guard statement.unreadable == 0, let opening = statement.opening, let closing = statement.closing,
            statement.transactions.allSatisfy({ $0.currency == statement.currency })
        else { return nil }
        let sum = statement.transactions.reduce(opening.amount) { $0 + $1.amount }
        guard sum != closing.amount else { return nil }
        return .init(
            day: closing.day, difference: closing.amount - sum,
            message:
                "\(period(of: statement)) does not add up: the transactions lead from \(opening.amount) to \(sum) \(statement.currency), and the closing balance is \(closing.amount)"
        )
    }

    private static func gap(between first: Statement, and second: Statement) -> AccountHistory.Gap? {
        guard let end = first.to, let start = second.from else { return nil }
        // Periods that overlap share transactions; their balances do not follow one another. The day of the first booking
        // may be later than the period's beginning.
        if let opening = second.opening, opening.day < end, first.opening.map({ $0.day < opening.day }) ?? false {
            return nil
        }
        guard start > end || start == end && second.opening?.amount != nil else { return nil }
        let missing = Array((end.monthNumber + 1)..<max(end.monthNumber + 1, start.monthNumber))
        guard let closing = first.closing, let opening = second.opening else {
            guard !missing.isEmpty else { return nil }
            return .init(day: start, message: "\(names(missing)): no file has \(missing.count == 1 ? "it" : "them")")
        }
        guard closing.amount != opening.amount else { return nil }
        // Two files that share a day: the second begins with a balance that the first has between its bookings.
        if start == end, first.file != second.file, JoinedBookings.balances(of: first).contains(opening.amount) {
            return nil
        }
        let balances =
            "the closing balance of \(period(of: first)) (\(closing.amount)) is not the opening balance of \(period(of: second)) (\(opening.amount) \(second.currency))"
        let sentence = missing.isEmpty ? "transactions are missing between \(end) and \(start)" : names(missing)
        return .init(day: start, difference: opening.amount - closing.amount, message: "\(sentence): \(balances)")
    }

    private static func names(_ months: [Int]) -> String {
        let first = CalendarDay.name(ofMonth: months[0])
        return months.count == 1
            ? "\(first) is missing" : "\(first) to \(CalendarDay.name(ofMonth: months[months.count - 1])) are missing"
    }

    /// The month of a statement inside one, and the days of another.
    private static func period(of statement: Statement) -> String {
        guard let from = statement.from, let to = statement.to else { return "the statement" }
        return from.monthNumber == to.monthNumber ? from.monthName : "\(from) to \(to)"
    }
}
