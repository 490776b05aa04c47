/// The closing balances of an account whose files have no opening balances, compared with one another.
///
/// A bank may state a balance in the middle of a day, so that it counts some bookings of that day only. Each balance has one
/// such moment, on the way from the balance before it as on the way to the next. Of the moments that the balances may have,
/// those with the fewest breaks between the balances count, and of these those with the most whole days.
struct ClosingChain {
    /// A place where the bookings do not lead from one balance to the next.
    struct Break {
        let earlier: Statement.Balance
        let later: Statement.Balance
        /// The amount of the bookings that are missing.
        let difference: Amount
        /// True when nothing is missing if the later balance, the last one, does not count the last bookings of its day.
        let mayBeOfMiddle: Bool
    }

    private struct Link {
        let balance: Statement.Balance
        /// The balance before all bookings that follows from this one: for each moment of its day that it may be of.
        var starts: Set<Amount>
        /// The one of ``starts`` that follows if the balance counts the whole day.
        let whole: Amount
    }

    private struct Cost: Comparable {
        var breaks = 0
        var partialDays = 0

        static func < (left: Cost, right: Cost) -> Bool {
            (left.breaks, left.partialDays) < (right.breaks, right.partialDays)
        }
    }

    private let links: [Link]
    /// The moments of the last balance before only the whole day was left.
    private let lastStarts: Set<Amount>

    /// - Parameters:
    ///   - balances: in the order of their days.
    ///   - booked: in the order of their days, in the account's currency.
    ///   - isLastWhole: whether the last balance must count all bookings, as the opening balance is computed from it.
    init(_ balances: [Statement.Balance], booked: [Transaction], isLastWhole: Bool) {
        var links: [Link] = []
        var (before, rest) = (Amount.zero, booked[...])
        for balance in balances {
            while let next = rest.first, next.booked < balance.day {
                before = before + next.amount
                rest = rest.dropFirst()
            }
            let day = rest.prefix { $0.booked == balance.day }
            let start = balance.amount - before
            let starts = Set(Self.sums(day).map { start - $0 })
            let whole = day.reduce(start) { $0 - $1.amount }
            guard let last = links.last, last.balance.day == balance.day else {
                links.append(Link(balance: balance, starts: starts, whole: whole))
                continue
            }
            // Of two balances of one day that contradict each other, the later one counts.
            let common = last.starts.intersection(starts)
            links[links.count - 1] = Link(balance: balance, starts: common.isEmpty ? starts : common, whole: whole)
        }
        lastStarts = links.last?.starts ?? []
        if isLastWhole, let last = links.last { links[links.count - 1].starts = [last.whole] }
        self.links = links
    }

    var breaks: [Break] {
        guard let first = links.first else { return [] }
        var costs = first.starts.reduce(into: [:]) { $0[$1] = Cost(partialDays: $1 == first.whole ? 0 : 1) }
        // For each link after the first and each of its starts, the start of the link before it.
        var ways: [[Amount: Amount]] = []
        for link in links.dropFirst() {
            guard let best = Self.cheapest(costs) else { return [] }
            var next: [Amount: Cost] = [:]
            var way: [Amount: Amount] = [:]
            for start in link.starts {
                var (cost, origin) = (costs[best] ?? Cost(), best)
                cost.breaks += 1
                if let straight = costs[start], straight <= cost { (cost, origin) = (straight, start) }
                cost.partialDays += start == link.whole ? 0 : 1
                (next[start], way[start]) = (cost, origin)
            }
            costs = next
            ways.append(way)
        }
        guard var start = Self.cheapest(costs) else { return [] }
        var result: [Break] = []
        for index in ways.indices.reversed() {
            guard let origin = ways[index][start] else { break }
            if origin != start {
                result.append(
                    Break(
                        earlier: links[index].balance, later: links[index + 1].balance, difference: start - origin,
                        mayBeOfMiddle: index + 2 == links.count && lastStarts.contains(origin)))
            }
            start = origin
        }
        return result.reversed()
    }

    private static func cheapest(_ costs: [Amount: Cost]) -> Amount? {
        costs.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key
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
}
