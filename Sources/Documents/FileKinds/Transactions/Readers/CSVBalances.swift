/// The balances beside the bookings of one account in a CSV file, compared with the amounts.
///
/// Banks write a file from the oldest line to the newest, or the other way round, or leave the order of a day's lines open.
/// Some write a day's last balance beside each of its lines, or none beside lines that are not booked yet.
struct CSVBalances {
    struct Row {
        let line: Int
        let booked: CalendarDay
        let amount: Amount
        /// Nil where the line has none.
        let balance: Amount?
    }

    /// The result of comparing the balances with the amounts.
    struct Finding {
        /// The balance before the oldest line; nil when it is not known.
        var opening: Amount?
        /// The balance after the newest line; nil when it is not known.
        var closing: Amount?
        /// The places where amount and balance contradict one another, each as a sentence.
        var contradictions: [(line: Int, sentence: String)] = []
        /// The places where they agree.
        var agreements = 0
        /// Lines without a balance that the balances around them do not count.
        var uncounted = 0
        /// Lines without a balance after the last that has one.
        var open = 0
        /// True when the lines fit in several orders that begin or end with other balances.
        var isUnsure = false
    }

    /// In the order of the file.
    private let rows: [Row]

    /// Returns nil when no line has a balance.
    static func finding(in rows: [Row]) -> Finding? {
        guard rows.contains(where: { $0.balance != nil }) else { return nil }
        let balances = CSVBalances(rows: rows)
        let chains = balances.orders().map { balances.chain($0) }
        let fits = chains.filter { $0.contradictions.isEmpty }
        if let fit = fits.first {
            let differs = fits.contains { $0.opening != fit.opening || $0.closing != fit.closing }
            return differs && rows.allSatisfy { $0.balance != nil } ? Finding(isUnsure: true) : fit
        }
        if let chain = balances.inAnyOrder() { return chain }
        if let daily = balances.byDay(), daily.contradictions.isEmpty { return daily }
        return chains.min { $0.contradictions.count < $1.contradictions.count }
    }

    /// The orders from the oldest line to the newest that the days allow, the likelier one first. Against the days, the lines
    /// on both sides of a missing one may fit, with invented ends.
    private func orders() -> [[Row]] {
        let pairs = zip(rows, rows.dropFirst())
        let rises = pairs.contains { $0.booked < $1.booked }
        let falls = pairs.contains { $0.booked > $1.booked }
        let reversed: [Row] = rows.reversed()
        if rises != falls { return [rises ? rows : reversed] }
        return rows[0].booked <= rows[rows.count - 1].booked ? [rows, reversed] : [reversed, rows]
    }

    /// Returns the ends of the chain that the lines make in some order, if each has a balance: the balance before a line is
    /// then the one after another line, except for the oldest. All lines must be one chain, which begins on the oldest day and
    /// ends on the newest: a missing line may leave others that fit together.
    private func inAnyOrder() -> Finding? {
        let booked = rows.filter { $0.amount != .zero }
        let days = booked.map(\.booked)
        guard let oldest = days.min(), let newest = days.max() else { return nil }
        var surplus: [Amount: Int] = [:]
        var neighbors: [Amount: [Amount]] = [:]
        // The balances before the lines of the oldest day, and after those of the newest.
        var (starts, ends): (Set<Amount>, Set<Amount>) = ([], [])
        for row in booked {
            guard let after = row.balance else { return nil }
            let before = after - row.amount
            surplus[before, default: 0] += 1
            surplus[after, default: 0] -= 1
            neighbors[before, default: []].append(after)
            neighbors[after, default: []].append(before)
            if row.booked == oldest { starts.insert(before) }
            if row.booked == newest { ends.insert(after) }
        }
        guard Self.isConnected(neighbors) else { return nil }
        let openings = surplus.filter { $0.value > 0 }
        let closings = surplus.filter { $0.value < 0 }
        var finding = Finding(agreements: booked.count - 1)
        switch (openings.count, closings.count) {
        case (1, 1):
            guard let opening = openings.first, let closing = closings.first, opening.value == 1, closing.value == -1,
                starts.contains(opening.key), ends.contains(closing.key)
            else { return nil }
            (finding.opening, finding.closing) = (opening.key, closing.key)
        case (0, 0):
            // The account ends with what it began with: a balance that stands at both ends.
            let common = starts.intersection(ends)
            guard let balance = common.first else { return nil }
            guard common.count == 1 else { return Finding(isUnsure: true) }
            (finding.opening, finding.closing) = (balance, balance)
        default: return nil
        }
        return finding
    }

    /// Returns whether a way along the lines leads from each balance to every other.
    private static func isConnected(_ neighbors: [Amount: [Amount]]) -> Bool {
        var waiting = Array(neighbors.keys.prefix(1))
        var reached = Set(waiting)
        while let balance = waiting.popLast() {
            for next in neighbors[balance] ?? [] where reached.insert(next).inserted { waiting.append(next) }
        }
        return reached.count == neighbors.count
    }

    /// Compares the lines in one order, the oldest first.
    private func chain(_ rows: [Row]) -> Finding {
        var finding = Finding()
        var last: Amount?
        // What has come since the last balance, with lines that have none.
        var (sum, bare) = (Amount.zero, 0)
        for row in rows {
            sum = sum + row.amount
            guard let balance = row.balance else {
                bare += 1
                continue
            }
            if let last {
                if last + sum == balance {
                    finding.agreements += 1
                } else if bare > 0, last + row.amount == balance {
                    finding.agreements += 1
                    finding.uncounted += bare
                } else {
                    finding.contradictions.append((row.line, Self.sentence(last, sum, balance)))
                }
            } else {
                finding.opening = balance - sum
            }
            (last, sum, bare) = (balance, .zero, 0)
        }
        finding.open = bare
        if bare == 0 { finding.closing = last }
        return finding
    }

    /// Compares the days, if all lines of a day have one balance.
    private func byDay() -> Finding? {
        var sums: [CalendarDay: Amount] = [:]
        var ends: [CalendarDay: Row] = [:]
        for row in rows {
            guard let balance = row.balance else { return nil }
            sums[row.booked, default: .zero] = sums[row.booked, default: .zero] + row.amount
            if let end = ends[row.booked], end.balance != balance { return nil }
            ends[row.booked] = row
        }
        var finding = Finding()
        for day in ends.keys.sorted() {
            guard let end = ends[day], let balance = end.balance, let sum = sums[day] else { continue }
            if let last = finding.closing {
                if last + sum == balance {
                    finding.agreements += 1
                } else {
                    finding.contradictions.append((end.line, Self.sentence(last, sum, balance)))
                }
            } else {
                finding.opening = balance - sum
            }
            finding.closing = balance
        }
        return finding
    }

    private static func sentence(_ last: Amount, _ sum: Amount, _ balance: Amount) -> String {
        "the balance before is \(last), and \(sum) leads to \(last + sum), but the line says \(balance); a transaction is missing or has the wrong sign or amount"
    }
}
