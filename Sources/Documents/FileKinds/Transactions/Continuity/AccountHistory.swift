/// One account over several statements, without duplicates.
public struct AccountHistory: Sendable, Hashable {
    /// A place where one statement does not follow from the one before, or does not add up.
    public struct Gap: Sendable, Hashable {
        /// The day from which the balance is another than the transactions explain.
        public var day: CalendarDay
        /// The amount to be added there; nil when the balances are not known.
        public var difference: Amount?
        /// The missing part in words, e.g. “March 2025 is missing: …”.
        public var message: String
    }

    public let account: String
    public let bank: String
    public let currency: String
    public private(set) var from: CalendarDay?
    public private(set) var to: CalendarDay?
    /// The balance before the first transaction.
    public private(set) var opening: Statement.Balance?
    /// The balance after the last transaction.
    public private(set) var closing: Statement.Balance?
    /// In the order of booking; each once.
    public private(set) var transactions: [Transaction]
    public private(set) var gaps: [Gap]

    /// Returns a history for each account and currency, in the order in which they first appear.
    public static func of(_ statements: [Statement]) -> [AccountHistory] {
        var groups: [String: [Statement]] = [:]
        var order: [String] = []
        for statement in statements {
            let key = "\(statement.account) \(statement.currency)"
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(statement)
        }
        return order.map { AccountHistory(groups[$0]!) }
    }

    private init(_ statements: [Statement]) {
        let sorted = statements.enumerated().sorted { left, right in
            let first = (left.element.from, left.element.to)
            let second = (right.element.from, right.element.to)
            return first == second ? left.offset < right.offset : Self.precedes(first, second)
        }.map(\.element)
        account = sorted[0].account
        bank = sorted.first { !$0.bank.isEmpty }?.bank ?? ""
        currency = sorted[0].currency
        from = sorted.compactMap(\.from).min()
        to = sorted.compactMap(\.to).max()
        var seen: Set<String> = []
        transactions = sorted.flatMap(\.transactions).filter { seen.insert($0.id).inserted }.enumerated()
            .sorted { ($0.element.booked, $0.offset) < ($1.element.booked, $1.offset) }.map(\.element)
        // Balances of an interim report follow nothing. The same statement in two files is one.
        var known: Set<Statement> = []
        let final = sorted.filter { statement in
            var nameless = statement
            nameless.source = ""
            return !statement.isInterim && known.insert(nameless).inserted
        }
        opening = final.first?.opening
        // Of several statements that end on one day, the last of the file.
        closing =
            final.reduce(nil as Statement?) { last, next in
                last.map { Self.precedes((next.to, nil), ($0.to, nil)) } == true ? last : next
            }?.closing
        gaps = BalanceCheck.gaps(in: final)
    }

    private static func precedes(
        _ left: (CalendarDay?, CalendarDay?), _ right: (CalendarDay?, CalendarDay?)
    ) -> Bool {
        func number(_ day: CalendarDay?) -> Int { day.map { $0.monthNumber * 32 + $0.day } ?? 0 }
        return (number(left.0), number(left.1)) < (number(right.0), number(right.1))
    }

    /// Returns the part from one day to another, both included, with the balances of these days.
    public func part(from first: CalendarDay?, to last: CalendarDay?) -> AccountHistory {
        var part = self
        func change(_ isCounted: (CalendarDay) -> Bool) -> Amount {
            let booked = transactions.filter { isCounted($0.booked) && $0.currency == currency }.map(\.amount)
            let missing = gaps.filter { isCounted($0.day) }.compactMap(\.difference)
            return missing.reduce(booked.reduce(.zero, +), +)
        }
        if let first, let opening, first > (from ?? first) {
            part.opening = .init(amount: opening.amount + change { $0 < first }, day: first)
            part.from = first
        }
        if let last, let closing, last < (to ?? last) {
            part.closing = .init(amount: closing.amount - change { $0 > last }, day: last)
            part.to = last
        }
        func isInside(_ day: CalendarDay) -> Bool {
            (first.map { day >= $0 } ?? true) && (last.map { day <= $0 } ?? true)
        }
        part.transactions = transactions.filter { isInside($0.booked) }
        part.gaps = gaps.filter { isInside($0.day) }
        return part
    }
}
