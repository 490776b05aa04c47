/// The bookings of one account's statements, each once.
///
/// Two statements have a booking together only where their periods overlap: what is alike in statements of one file, or in
/// statements of which one opens with what the other closes with, are two bookings. Of overlapping statements the one
/// with more bookings that are alike counts. A report of the day gives way to the statement of that day.
struct JoinedBookings {
    private(set) var transactions: [Transaction] = []
    /// The sum and the last day of the reports' bookings that no statement has yet, in the account's currency.
    private(set) var unsettled: (amount: Amount, day: CalendarDay)?
    private(set) var notes: [String] = []
    /// The statements all of whose bookings another statement of their days has: their balances follow nothing.
    private(set) var contained: Set<Int> = []

    /// - Parameter statements: of one account and currency, in their order.
    init(_ statements: [Statement]) {
        let kept = Self.lanes(statements, &contained, &notes)
        Self.noteAlike(statements.filter { !$0.isInterim }, &notes)
        Self.noteChanged(statements.filter(\.identifiesByReference), &notes)
        let periods = statements.filter { !$0.isInterim && $0.closing != nil }
            .compactMap { statement in
                (statement.opening?.day ?? statement.from).flatMap { from in statement.to.map { from...max(from, $0) } }
            }
        var ordinals: [String: Int] = [:]
        let count = statements.reduce(0) { $0 + $1.transactions.count }
        var seen = Set<String>(minimumCapacity: count)
        transactions.reserveCapacity(count)
        var superseded = 0
        var reported: [Transaction] = []
        // Statements first: the report of a day has nothing to say that its statement does not.
        for isInterim in [false, true] {
            for (index, statement) in statements.enumerated() where statement.isInterim == isInterim {
                for var transaction in statement.transactions {
                    if let lane = kept[transaction.key] {
                        guard lane.contains(index) else { continue }
                        let ordinal = ordinals[transaction.key, default: 0] + 1
                        ordinals[transaction.key] = ordinal
                        if ordinal > 1, seen.contains(transaction.id) {
                            guard transaction.hasOwnID else { continue }
                            transaction.id = statement.id(of: transaction, ordinal: ordinal)
                        }
                    }
                    guard seen.insert(transaction.id).inserted else { continue }
                    guard isInterim, !periods.isEmpty else {
                        transactions.append(transaction)
                        continue
                    }
                    if periods.contains(where: { $0.contains(transaction.booked) }) {
                        superseded += 1
                    } else {
                        transactions.append(transaction)
                        if transaction.currency == statement.currency { reported.append(transaction) }
                    }
                }
            }
        }
        // Most files are in this order.
        if transactions.indices.dropFirst().contains(where: { transactions[$0].booked < transactions[$0 - 1].booked }) {
            let order = transactions.indices.sorted { (transactions[$0].booked, $0) < (transactions[$1].booked, $1) }
            transactions = order.map { transactions[$0] }
        }
        if superseded > 0 {
            notes.append(
                "bookings of reports are left out, because the statements of their days do not have them: \(superseded)"
            )
        }
        if let day = reported.map(\.booked).max() {
            unsettled = (reported.reduce(.zero) { $0 + $1.amount }, day)
        }
    }

    /// Returns for each booking that several statements have the statements that count.
    private static func lanes(
        _ statements: [Statement], _ contained: inout Set<Int>, _ notes: inout [String]
    ) -> [String: Set<Int>] {
        guard statements.count > 1 else { return [:] }
        var first: [String: Int] = [:]
        var several: [String: [Int]] = [:]
        for (index, statement) in statements.enumerated() {
            for transaction in statement.transactions {
                guard let other = first[transaction.key] else {
                    first[transaction.key] = index
                    continue
                }
                if other != index, several[transaction.key]?.last != index {
                    several[transaction.key, default: [other]].append(index)
                }
            }
        }
        var counts: [String: [Int: Int]] = [:]
        for (index, statement) in statements.enumerated() where !several.isEmpty {
            for transaction in statement.transactions where several[transaction.key] != nil {
                counts[transaction.key, default: [:]][index, default: 0] += 1
            }
        }
        for index in statements.indices where !several.isEmpty && isContained(index, statements, counts) {
            contained.insert(index)
        }
        return several.reduce(into: [:]) { result, entry in
            let count = counts[entry.key] ?? [:]
            // Each lane is a set of statements that have no booking together.
            var lanes: [[Int]] = []
            for index in entry.value {
                var isPlaced = false
                for lane in lanes.indices where lanes[lane].allSatisfy({ !mayShare(statements[$0], statements[index]) })
                {
                    lanes[lane].append(index)
                    isPlaced = true
                }
                if !isPlaced {
                    lanes.append(
                        entry.value.filter { $0 < index && !mayShare(statements[$0], statements[index]) } + [index])
                }
            }
            let best = lanes.max { left, right in
                left.reduce(0) { $0 + (count[$1] ?? 0) } < right.reduce(0) { $0 + (count[$1] ?? 0) }
            }
            result[entry.key] = Set(best ?? entry.value)
            if lanes.count > 1 { note(entry.value.map { statements[$0] }, &notes) }
        }
    }

    /// Returns whether another file's statement of the same days or more has all bookings of a statement, and more of them,
    /// or stands before it.
    private static func isContained(
        _ index: Int, _ statements: [Statement], _ counts: [String: [Int: Int]]
    ) -> Bool {
        let statement = statements[index]
        guard let first = statement.transactions.first, let others = counts[first.key] else { return false }
        let keys = Set(statement.transactions.map(\.key))
        return others.keys.contains { other in
            let candidate = statements[other]
            guard other != index, !candidate.isInterim, mayShare(candidate, statement),
                let from = candidate.opening?.day ?? candidate.from, let to = candidate.to,
                let first = statement.opening?.day ?? statement.from, let last = statement.to, from <= first,
                to >= last
            else { return false }
            let size = (candidate.transactions.count, statement.transactions.count)
            return (size.0 > size.1 || size.0 == size.1 && other < index)
                && keys.allSatisfy { (counts[$0]?[other] ?? 0) >= (counts[$0]?[index] ?? 1) }
        }
    }

    /// Returns whether two statements that have a booking alike may mean the same one.
    private static func mayShare(_ first: Statement, _ second: Statement) -> Bool {
        if first.file == second.file { return first.isInterim != second.isInterim }
        guard let earlier = first.closing, let later = second.opening, !first.isInterim, !second.isInterim else {
            return true
        }
        if later.day >= earlier.day, later.amount == earlier.amount { return false }
        if let closing = second.closing, let opening = first.opening {
            if opening.day >= closing.day, opening.amount == closing.amount { return false }
            // They meet on one day, and no moment of the first has the balance that the second begins with: what is between
            // them is missing, unless the second is of that day and has the first in it.
            let firstReachesSecond = balances(of: first).contains(later.amount)
            let secondReachesFirst = balances(of: second).contains(opening.amount)
            let isOneDay = later.day == opening.day
            if later.day == earlier.day, !firstReachesSecond, !(isOneDay && secondReachesFirst) { return false }
            if opening.day == closing.day, !secondReachesFirst, !(isOneDay && firstReachesSecond) { return false }
            // Of the same days, and neither begins with a balance that the other has on its first day.
            if later.day == opening.day, closing.day == earlier.day,
                !moments(of: first).contains(later.amount), !moments(of: second).contains(opening.amount)
            {
                return false
            }
        }
        return true
    }

    /// The balances between the bookings of a statement's first day, and before and after them.
    private static func moments(of statement: Statement) -> Set<Amount> {
        guard let opening = statement.opening else { return [] }
        let booked = statement.transactions.filter { $0.booked <= opening.day }
        return [booked, booked.reversed()].reduce(into: [opening.amount]) { result, booked in
            var balance = opening.amount
            for transaction in booked {
                balance = balance + transaction.amount
                result.insert(balance)
            }
        }
    }

    /// The balances between the bookings, in either order of the file.
    static func balances(of statement: Statement) -> Set<Amount> {
        guard let opening = statement.opening?.amount, let closing = statement.closing?.amount else { return [] }
        var result: Set<Amount> = [opening, closing]
        var (up, down) = (opening, opening)
        for (first, last) in zip(statement.transactions, statement.transactions.reversed()) {
            up = up + first.amount
            down = down + last.amount
            result.formUnion([up, down])
        }
        return result
    }

    /// Says it where two files without balances have, on days that both have, bookings of one amount with different texts: a bank
    /// may have changed the text, or the reference, between two downloads.
    private static func noteAlike(_ statements: [Statement], _ notes: inout [String]) {
        guard statements.count > 1 else { return }
        // By day, so that a pair looks at the days that both have, and not at all bookings again.
        let days = statements.map { statement in
            statement.transactions.reduce(into: [CalendarDay: [String: Set<String>]]()) {
                $0[$1.booked, default: [:]]["\($1.amount) \($1.currency)", default: []].insert($1.key)
            }
        }
        let pairs = statements.indices.lazy.flatMap { first in
            statements.indices[(first + 1)...].lazy.map { (first, $0) }
        }
        for (left, right) in pairs {
            let (first, second) = (statements[left], statements[right])
            guard first.file != second.file, first.closing == nil || second.opening == nil,
                let start = [first.from, second.from].compactMap(\.self).max(),
                let end = [first.to, second.to].compactMap(\.self).min(), start <= end
            else { continue }
            let (few, many) = days[left].count < days[right].count ? (left, right) : (right, left)
            var alike = 0
            for (day, bookings) in days[few] where day >= start && day <= end {
                guard let others = days[many][day] else { continue }
                for (amount, keys) in bookings {
                    let other = others[amount] ?? []
                    alike += min(keys.subtracting(other).count, other.subtracting(keys).count)
                }
            }
            guard alike > 0 else { continue }
            notes.append(
                "\(first.source) and \(second.source) have bookings of one day and amount with different texts, and all are counted: \(alike); if they are the same ones, export the days once"
            )
        }
    }

    /// Says it where files of the same days have one reference (OFX's FITID) with another day or amount: the bank may have changed
    /// the booking between two downloads.
    private static func noteChanged(_ statements: [Statement], _ notes: inout [String]) {
        guard statements.count > 1 else { return }
        var first: [String: (index: Int, made: Transaction)] = [:]
        var changed = 0
        for (index, statement) in statements.enumerated() {
            for made in statement.transactions where !made.bankReference.isEmpty {
                guard let other = first[made.bankReference] else {
                    first[made.bankReference] = (index, made)
                    continue
                }
                let earlier = statements[other.index]
                // Some banks begin to count anew in each file.
                guard earlier.file != statement.file,
                    let start = [earlier.from, statement.from].compactMap(\.self).max(),
                    let end = [earlier.to, statement.to].compactMap(\.self).min(), start <= end,
                    made.booked != other.made.booked || made.amount != other.made.amount
                else { continue }
                changed += 1
            }
        }
        guard changed > 0 else { return }
        notes.append(
            "files of the same days have bookings with one reference (FITID) and another day or amount, and all are counted: \(changed); if the bank changed them, export the days once"
        )
    }

    /// Says it where files without balances meet on one day: only the bank could tell whether they have the booking together.
    private static func note(_ statements: [Statement], _ notes: inout [String]) {
        for (first, second) in zip(statements, statements.dropFirst()) {
            guard first.file != second.file, first.closing == nil || second.opening == nil, let day = first.to,
                day == second.from
            else { continue }
            let sentence =
                "\(first.source) and \(second.source) meet on \(day): bookings of that day that are alike are counted once; export one file with both days if there were more"
            if !notes.contains(sentence) { notes.append(sentence) }
        }
    }
}
