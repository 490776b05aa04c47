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
    }

    /// In the order of the file.
    private let rows: [Row]

    /// Returns nil when no line has a balance.
    static func finding(in rows: [Row]) -> Finding? {
        guard rows.contains(where: { $0.balance != nil }) else { return nil }
        let balances = CSVBalances(rows: rows)
        if let chain = balances.inAnyOrder() { return chain }
        let (ascending, descending) = (balances.chain(rows), balances.chain(rows.reversed()))
        if let daily = balances.byDay(), daily.contradictions.isEmpty,
            !ascending.contradictions.isEmpty, !descending.contradictions.isEmpty
        {
            return daily
        }
        let counts = (ascending.contradictions.count, descending.contradictions.count)
        if counts.0 != counts.1 { return counts.0 < counts.1 ? ascending : descending }
        return rows[0].booked <= rows[rows.count - 1].booked ? ascending : descending
    }

    /// Returns the ends of the chain that the lines make in some order, if each has a balance: the balance before a line is
    /// then the one after another line, except for the oldest.
    private func inAnyOrder() -> Finding? {
        let booked = rows.filter { $0.amount != .zero }
        guard !booked.isEmpty, booked.allSatisfy({ $0.balance != nil }) else { return nil }
        var surplus: [Amount: Int] = [:]
        for row in booked {
            guard let after = row.balance else { return nil }
            surplus[after - row.amount, default: 0] += 1
            surplus[after, default: 0] -= 1
        }
        let openings = surplus.filter { $0.value > 0 }
        let closings = surplus.filter { $0.value < 0 }
        var finding = Finding(agreements: booked.count - 1)
        switch (openings.count, closings.count) {
        case (1, 1):
            guard let opening = openings.first, let closing = closings.first, opening.value == 1, closing.value == -1
            else { return nil }
            (finding.opening, finding.closing) = (opening.key, closing.key)
        case (0, 0):
            // The account ends with what it began with.
            let isDescending = booked[0].booked > booked[booked.count - 1].booked
            let newest = isDescending ? booked[0] : booked[booked.count - 1]
            (finding.opening, finding.closing) = (newest.balance, newest.balance)
        default: return nil
        }
        return finding
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
