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

    /// A closing balance of the files to which the transactions do not lead.
    package struct UnreachedBalance: Sendable, Hashable {
        package var balance: Statement.Balance
        /// The balance to which they lead at the end of that day.
        package var sum: Amount

        /// The figures in words that follow “the balance” or its amount.
        func sentence(in currency: String) -> String {
            "of \(balance.day) is not asserted: the file has \(balance.amount), and the transactions lead to \(sum) \(currency)"
        }
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
    /// The other closing balances, to which the transactions do not lead.
    package private(set) var unreached: [UnreachedBalance] = []
    /// The sentence that none of the days asked for is in the files, where that is so: see ``part(from:to:)``.
    package private(set) var absence: String?
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
    package static func of(_ read: [Statement]) -> [AccountHistory] {
        let (statements, severalKinds) = namedByKind(read)
        // Only OFX has short numbers, and the bank's beside them: two banks may have an account of one number. An IBAN names its bank.
        var banks: [String: Set<String>] = [:]
        for statement in statements
        where statement.identifiesByReference && !statement.bank.isEmpty && !isIBAN(statement.account) {
            banks[statement.account, default: []].insert(bankNumber(statement))
        }
        var groups: [String: [Statement]] = [:]
        var order: [String] = []
        for statement in statements {
            var key = "\(statement.account) \(statement.currency)"
            let isShared = (banks[statement.account]?.count ?? 0) > 1
            if isShared, statement.identifiesByReference { key += " \(bankNumber(statement))" }
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(statement)
        }
        return order.map { key in
            var history = AccountHistory(groups[key]!)
            if (banks[history.account]?.count ?? 0) > 1, groups[key]!.contains(where: \.identifiesByReference) {
                history.notes.append(
                    "files of several banks (BANKID) have an account of this number, so the account of each bank is read apart"
                )
            }
            if severalKinds.contains(history.account) {
                history.notes.append(
                    "several kinds of account (ACCTTYPE) have this number, so each is read apart, under the number and its kind"
                )
            }
            return history
        }
    }

    /// Gives the accounts of one number and several kinds names of their own: OFX tells them apart by bank, number and kind (OFX 2.3,
    /// section 11.3.1), and credit unions give one number to a member.
    ///
    /// - Returns: the statements, and the names.
    private static func namedByKind(_ statements: [Statement]) -> ([Statement], Set<String>) {
        func key(_ statement: Statement) -> String { "\(statement.account) \(bankNumber(statement))" }
        var kinds: [String: Set<String>] = [:]
        // Our own export has the kind that most accounts are of, because OFX requires one.
        func isOwnExport(_ statement: Statement) -> Bool {
            !statement.transactions.isEmpty && !statement.transactions.contains(where: \.hasOwnID)
        }
        for statement in statements
        where !statement.kind.isEmpty && !isIBAN(statement.account) && !isOwnExport(statement) {
            kinds[key(statement), default: []].insert(statement.kind)
        }
        var names: Set<String> = []
        var named = statements
        var owners: [String: [String: String]] = [:]
        // Sorted by kind: the order of the files must not decide which account keeps an id.
        for index in named.indices.sorted(by: { named[$0].kind < named[$1].kind }) {
            let statement = statements[index]
            guard !statement.kind.isEmpty, kinds[key(statement), default: []].count > 1 else { continue }
            let name = "\(statement.account) \(statement.kind)".folded
            named[index].name(account: name, among: name, owners: &owners[key(statement), default: [:]])
            names.insert(name)
        }
        return (named, names)
    }

    /// The number that OFX has for the bank, which has at most nine characters (OFX 2.3, section 11.3.1).
    private static func bankNumber(_ statement: Statement) -> String { String(statement.bank.prefix(9)) }

    /// True for a country, two check digits and the account's number there (ISO 13616).
    private static func isIBAN(_ account: String) -> Bool {
        account.wholeMatch(of: /[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}/) != nil
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
        if account.isEmpty, let note = Self.nameless(sorted, transactions.count) { notes.append(note) }
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
        confirm(final.compactMap(\.closing))
        // Statements with an opening balance were each checked before.
        guard isOpeningComputed else { return }
        notes += unreached.map { "the balance \($0.sentence(in: currency))" }
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

    /// Says it where files that name no account had bookings alike: they may be of different accounts.
    private static func nameless(_ statements: [Statement], _ count: Int) -> String? {
        let all = statements.reduce(0) { $0 + $1.transactions.count }
        let files = Set(statements.lazy.filter { !$0.transactions.isEmpty }.map(\.file))
        guard files.count > 1, all > count else { return nil }
        return
            "the files name no account, so they are read as one, and bookings that are alike in several of them are counted once: \(all - count); if they are of different accounts, read each with --account"
    }

    private static func end(_ statement: Statement) -> CalendarDay {
        statement.closing?.day ?? statement.to ?? CalendarDay(year: 1900, month: 1, day: 1)!
    }

    /// Compares each closing balance with the one before it and the transactions between their days, where no file has an
    /// opening balance, as in OFX.
    private mutating func compareClosings(_ statements: [Statement]) {
        // A balance that is dated before the last booking of its statement may be of another moment.
        let known = statements.filter { statement in
            statement.transactions.allSatisfy { $0.booked <= statement.closing?.day ?? $0.booked }
        }.compactMap(\.closing).sorted { $0.day < $1.day }
        guard let first = known.first, let last = known.last else { return }
        // The balances say more than a month without a file.
        gaps.removeAll { $0.difference == nil && $0.day > first.day && $0.day <= last.day }
        let isLastWhole = closing.map { $0.day >= transactions.last?.booked ?? $0.day } ?? false
        let chain = ClosingChain(
            known, booked: transactions.filter { $0.currency == currency }, isLastWhole: isLastWhole)
        for found in chain.breaks {
            let (start, end) = (found.earlier, found.later)
            let reason = uncounted(from: start.day, to: end.day) ?? "transactions are missing"
            let other = found.mayBeOfMiddle ? ", if it counts all bookings of that day" : ""
            gaps.append(
                .init(
                    day: end.day, difference: found.difference,
                    message:
                        "\(reason) between \(start.day) and \(end.day): the others lead from \(start.amount) to \(end.amount - found.difference) \(currency), and the balance of \(end.day) is \(end.amount)\(other)"
                ))
        }
        gaps.sort { $0.day < $1.day }
    }

    /// Tells the closing balances to which the opening balance, the transactions and the gaps lead from those to which they
    /// do not.
    private mutating func confirm(_ closings: [Statement.Balance]) {
        guard let opening, let closing else { return }
        var sum = opening.amount
        var (booked, missing) = (transactions[...], gaps.sorted { $0.day < $1.day }[...])
        var rest = closings.filter { $0.day <= closing.day }.sorted { $0.day < $1.day }[...]
        while let day = rest.first?.day {
            let ofDay = rest.prefix { $0.day == day }
            rest = rest.dropFirst(ofDay.count)
            // The balances between the bookings of the day.
            var between: Set<Amount> = []
            while let next = booked.first, next.booked <= day {
                if next.booked == day { between.insert(sum) }
                if next.currency == currency { sum = sum + next.amount }
                booked = booked.dropFirst()
            }
            while let next = missing.first, next.day <= day {
                sum = sum + (next.difference ?? .zero)
                missing = missing.dropFirst()
            }
            let reached = day == closing.day ? closing : ofDay.first { $0.amount == sum }
            if let reached, day < closing.day { balances.append(reached) }
            for balance in ofDay where balance.amount != reached?.amount {
                // A day may have several statements.
                guard reached == nil || !between.contains(balance.amount) else { continue }
                let other = UnreachedBalance(balance: balance, sum: sum)
                if !unreached.contains(other) { unreached.append(other) }
            }
        }
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
        let sentence =
            "the transactions lead from \(opening.amount) to \(sum) \(currency), and the closing balance is \(closing.amount)"
        let reason = uncounted(from: nil, to: nil)
        if reason == nil { isContradictory = true }
        gaps.append(
            .init(
                day: closing.day, difference: closing.amount - sum,
                message: "\(reason ?? "the account does not add up"): \(sentence)"))
    }

    /// Returns why the transactions of some days need not lead to a balance; nil when nothing is known to be left out of them.
    private func uncounted(from first: CalendarDay?, to last: CalendarDay?) -> String? {
        let days = transactions.filter { $0.booked >= first ?? $0.booked && $0.booked <= last ?? $0.booked }
        let others = Set(days.map(\.currency)).subtracting([currency]).sorted()
        guard others.isEmpty else {
            return "transactions in \(others.joined(separator: ", ")) are not counted in the balance"
        }
        return unreadable > 0 ? "bookings that cannot be read are left out" : nil
    }

    /// Returns the part from one day to another, both included, with the balances of these days. Days of which no file says
    /// anything have no balances.
    package func part(from first: CalendarDay?, to last: CalendarDay?) -> AccountHistory {
        guard first != nil || last != nil else { return self }
        var part = self
        if let from, let to, first.map({ $0 > to }) ?? false || last.map({ $0 < from }) ?? false {
            (part.from, part.to, part.opening, part.closing) = (nil, nil, nil, nil)
            (part.transactions, part.gaps, part.balances, part.unreached) = ([], [], [], [])
            let absence = "the files of this account have \(from) to \(to), and none of the days asked for"
            part.absence = absence
            part.notes.append(absence)
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
        part.unreached = unreached.filter { isInside($0.balance.day) }
        return part
    }
}
