/// One account over several statements, without duplicates.
package struct AccountHistory: Sendable, Hashable {
    /// A place where one statement does not follow from the one before, or does not add up.
    package struct Gap: Sendable, Hashable {
        /// The day from which the balance is another than the transactions explain.
        package var day: CalendarDay
        /// The amount to be added there; nil when the balances are not known.
        package var difference: Amount?
        /// The missing part in words, e.g. “March 2025 is missing: …”.
        package var message: String
    }

    package let account: String
    package let bank: String
    package let currency: String
    package private(set) var from: CalendarDay?
    package private(set) var to: CalendarDay?
    /// The balance before the first transaction.
    package private(set) var opening: Statement.Balance?
    /// Whether ``opening`` is the closing balance less the transactions, because no file has an opening balance.
    package private(set) var isOpeningComputed = false
    /// The balance after the last transaction.
    package private(set) var closing: Statement.Balance?
    /// The closing balances of the statements before the last one, where the transactions lead to them; one for a day.
    package private(set) var balances: [Statement.Balance] = []
    /// In the order of booking; each once.
    package private(set) var transactions: [Transaction]
    package private(set) var gaps: [Gap]
    /// The values that were left out of the files or guessed, each as a sentence with the file's name.
    package private(set) var notes: [String] = []
    /// The bookings that were left out because they could not be read: see ``ReadingOptions/skipsUnreadable``.
    package private(set) var unreadable = 0
    /// True when a statement does not add up, or all of them do and the account does not: one of ``gaps`` says by how much.
    package private(set) var isContradictory = false

    /// Returns a history for each account and currency, in the order in which they first appear.
    package static func of(_ statements: [Statement]) -> [AccountHistory] {
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
        let sorted = StatementOrder.sorted(Self.distinct(statements))
        account = sorted[0].account
        bank = sorted.first { !$0.bank.isEmpty }?.bank ?? ""
        currency = sorted[0].currency
        let joined = JoinedBookings(sorted)
        transactions = joined.transactions
        from = (sorted.compactMap(\.from) + [transactions.first?.booked].compactMap(\.self)).min()
        to = (sorted.compactMap(\.to) + [transactions.last?.booked].compactMap(\.self)).max()
        // Balances of an interim report follow nothing, and those of a part of another statement neither.
        let places = sorted.indices.filter { !sorted[$0].isInterim }
        let final = places.filter { !joined.contained.contains($0) }.map { sorted[$0] }
        opening = final.first?.opening
        // Of several statements that end on one day, the last.
        closing = final.max { Self.end($0) < Self.end($1) }.flatMap { last in
            final.last { Self.end($0) == Self.end(last) }?.closing
        }
        let parts = places.indices.filter { joined.contained.contains(places[$0]) }
        gaps = BalanceCheck.gaps(in: places.map { sorted[$0] }, apartFrom: Set(parts))
        isContradictory =
            places.contains { BalanceCheck.isContradictory(sorted[$0]) } || sorted.contains(where: \.isContradictory)
        notes =
            sorted.flatMap { statement in
                statement.notes.map { statement.source.isEmpty ? $0 : "\(statement.source): \($0)" }
            } + joined.notes
        unreadable = sorted.reduce(0) { $0 + $1.unreadable }
        if let balance = closing, let unsettled = joined.unsettled, unsettled.day > balance.day {
            closing = .init(amount: balance.amount + unsettled.amount, day: unsettled.day)
            notes.append(
                "the closing balance is that of \(balance.day) (\(balance.amount)) and the bookings of reports after it"
            )
        }
        if !final.contains(where: { $0.opening != nil }) {
            compareClosings(final)
            computeOpening()
        }
        checkResult()
        balances = confirmed(final.compactMap(\.closing))
    }

    /// Leaves out a statement that is there twice. In one file, only balances tell that two statements are one.
    private static func distinct(_ statements: [Statement]) -> [Statement] {
        guard statements.count > 1 else { return statements }
        var files: [Statement: UInt64] = [:]
        return statements.filter { statement in
            var nameless = statement
            nameless.source = ""
            let hasBalances = statement.opening != nil && statement.closing != nil
            guard let file = files.updateValue(statement.file, forKey: nameless) else { return true }
            return file == statement.file && !hasBalances
        }
    }

    private static func end(_ statement: Statement) -> CalendarDay {
        statement.closing?.day ?? statement.to ?? CalendarDay(year: 1900, month: 1, day: 1)!
    }

    /// Compares each closing balance with the one before it and the transactions between their days, where no file has an
    /// opening balance, as in OFX.
    private mutating func compareClosings(_ statements: [Statement]) {
        // A balance of a day before the last booking of its own statement may be of another moment.
        let known = statements.filter { statement in
            statement.transactions.allSatisfy { $0.booked <= statement.closing?.day ?? $0.booked }
        }.compactMap(\.closing).sorted { $0.day < $1.day }
        guard let first = known.first, let last = known.last else { return }
        // The balances say more than a month without a file.
        gaps.removeAll { $0.difference == nil && $0.day > first.day && $0.day <= last.day }
        var rest = transactions.filter { $0.currency == currency && $0.booked >= first.day }[...]
        for (earlier, later) in zip(known, known.dropFirst()) where earlier.day < later.day {
            let before = rest.prefix { $0.booked == earlier.day }
            let between = rest.dropFirst(before.count).prefix { $0.booked <= later.day }
            rest = rest.drop { $0.booked < later.day }
            let sum = between.reduce(earlier.amount) { $0 + $1.amount }
            let difference = later.amount - sum
            // A bank may state its balance in the middle of a day.
            let early = Self.sums(before)
            let late = Self.sums(between.drop { $0.booked < later.day })
            guard !late.contains(where: { early.contains(difference + $0) }) else { continue }
            gaps.append(
                .init(
                    day: later.day, difference: difference,
                    message:
                        "transactions are missing between \(earlier.day) and \(later.day): the others lead from \(earlier.amount) to \(sum) \(currency), and the balance of \(later.day) is \(later.amount)"
                ))
        }
        gaps.sort { $0.day < $1.day }
    }

    /// The sums of the first and of the last bookings of a day, as many of them as may be.
    private static func sums(_ booked: ArraySlice<Transaction>) -> Set<Amount> {
        var result: Set<Amount> = [.zero]
        for ordered in [Array(booked), booked.reversed()] {
            var sum = Amount.zero
            for transaction in ordered {
                sum = sum + transaction.amount
                result.insert(sum)
            }
        }
        return result
    }

    /// Returns those of the closing balances before the last to which the opening balance, the transactions and the gaps lead.
    private func confirmed(_ closings: [Statement.Balance]) -> [Statement.Balance] {
        guard let opening, let closing else { return [] }
        var sum = opening.amount
        var (booked, missing) = (transactions[...], gaps.sorted { $0.day < $1.day }[...])
        var result: [Statement.Balance] = []
        for balance in closings.sorted(by: { $0.day < $1.day }) where balance.day < closing.day {
            while let next = booked.first, next.booked <= balance.day {
                if next.currency == currency { sum = sum + next.amount }
                booked = booked.dropFirst()
            }
            while let next = missing.first, next.day <= balance.day {
                sum = sum + (next.difference ?? .zero)
                missing = missing.dropFirst()
            }
            if sum == balance.amount, result.last?.day != balance.day { result.append(balance) }
        }
        return result
    }

    /// Takes the transactions from the closing balance, if it is one of a day after all of them.
    private mutating func computeOpening() {
        guard let closing, closing.day >= (transactions.last?.booked ?? closing.day) else { return }
        opening = .init(amount: closing.amount - change, day: min(from ?? closing.day, closing.day))
        isOpeningComputed = true
        if let to, closing.day > to {
            notes.append(
                "the closing balance is that of \(closing.day), and the files end with \(to): the opening balance is computed as if nothing had been booked between"
            )
        }
        let others = Set(transactions.map(\.currency)).subtracting([currency]).sorted()
        guard !others.isEmpty else { return }
        notes.append(
            "the opening balance is computed without the transactions in \(others.joined(separator: ", ")), whose amounts in \(currency) are not known"
        )
    }

    /// The sum of the transactions and the gaps in the account's currency.
    private var change: Amount {
        gaps.compactMap(\.difference).reduce(
            transactions.lazy.filter { $0.currency == currency }.map(\.amount).reduce(.zero, +), +)
    }

    /// Checks the balances of what is written: after the statements were joined, not before.
    private mutating func checkResult() {
        guard let opening, let closing else { return }
        let sum = opening.amount + change
        guard sum != closing.amount else { return }
        let others = Set(transactions.map(\.currency)).subtracting([currency]).sorted()
        let sentence =
            "the transactions lead from \(opening.amount) to \(sum) \(currency), and the closing balance is \(closing.amount)"
        if others.isEmpty && unreadable == 0 { isContradictory = true }
        let reason =
            !others.isEmpty
            ? "transactions in \(others.joined(separator: ", ")) are not counted in the balance"
            : unreadable > 0 ? "bookings that cannot be read are left out" : "the account does not add up"
        gaps.append(.init(day: closing.day, difference: closing.amount - sum, message: "\(reason): \(sentence)"))
    }

    /// Returns the part from one day to another, both included, with the balances of these days. Days of which no file says
    /// anything have no balances.
    package func part(from first: CalendarDay?, to last: CalendarDay?) -> AccountHistory {
        var part = self
        if let from, let to, first.map({ $0 > to }) ?? false || last.map({ $0 < from }) ?? false {
            (part.from, part.to, part.opening, part.closing) = (nil, nil, nil, nil)
            (part.transactions, part.gaps, part.balances) = ([], [], [])
            return part
        }
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
        part.balances = balances.filter { isInside($0.day) && $0.day < part.closing?.day ?? $0.day }
        return part
    }
}
