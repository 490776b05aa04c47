/// The number and the sum of the bookings as a file states them, to be compared with those that were read.
struct StatedSums {
    /// The payments, or the receipts. The sum is positive.
    struct Side: Equatable {
        var count: Int?
        var sum: Amount?
    }

    var debits = Side()
    var credits = Side()
    /// Of both sides, where the file does not tell them apart.
    var count: Int?

    /// Returns how the sums of some bookings differ; nil when they do not.
    ///
    /// A reversed payment counts as a payment in some files and as a receipt in others. So sides may differ, if the receipts less
    /// the payments are the same.
    func difference(to amounts: [Amount]) -> String? {
        let paid = amounts.filter(\.isNegative)
        let received = amounts.filter { !$0.isNegative }
        let own = (Self.sum(paid), Self.sum(received))
        if let count, count != amounts.count {
            return "the file states \(count) bookings, and \(amounts.count) \(Self.were(amounts)) read"
        }
        let total = (debits.count ?? paid.count) + (credits.count ?? received.count)
        guard total == amounts.count else {
            return "the file states \(total) bookings, and \(amounts.count) \(Self.were(amounts)) read"
        }
        let stated = (debits.sum ?? own.0, credits.sum ?? own.1)
        guard stated.1 - stated.0 != own.1 - own.0 else { return nil }
        return
            "the file states payments of \(stated.0) and receipts of \(stated.1), and \(own.0) and \(own.1) were read"
    }

    private static func were(_ amounts: [Amount]) -> String { amounts.count == 1 ? "was" : "were" }

    private static func sum(_ amounts: [Amount]) -> Amount {
        amounts.reduce(.zero) { $0 + ($1.isNegative ? -$1 : $1) }
    }
}
