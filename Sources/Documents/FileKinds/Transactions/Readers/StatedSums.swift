import Encodings

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
            return "the file states \(count.counted("booking")), and \(amounts.count) \(Self.were(amounts)) read"
        }
        let net = own.1 - own.0
        switch (debits == Side(), credits == Side()) {
        case (true, true): return nil
        case (false, true): return differs(debits, paid.count, own.0, amounts.count, -net, "payments")
        case (true, false): return differs(credits, received.count, own.1, amounts.count, net, "receipts")
        case (false, false): break
        }
        if let payments = debits.count, let receipts = credits.count, payments + receipts != amounts.count {
            let stated = (payments + receipts).counted("booking")
            return "the file states \(stated), and \(amounts.count) \(Self.were(amounts)) read"
        }
        guard let payments = debits.sum, let receipts = credits.sum, receipts - payments != net else { return nil }
        return
            "the file states payments of \(payments) and receipts of \(receipts), and \(own.0) and \(own.1) were read"
    }

    /// Compares the only side that is stated with the bookings of this side, and with all, which it may be.
    private func differs(
        _ side: Side, _ count: Int, _ sum: Amount, _ all: Int, _ net: Amount, _ name: String
    ) -> String? {
        if let stated = side.sum, stated != sum, stated != net {
            return "the file states \(name) of \(stated), and \(sum) were read"
        }
        if let stated = side.count, stated != count, stated != all {
            return "the file states \(stated) \(name), and \(count) were read"
        }
        return nil
    }

    private static func were(_ amounts: [Amount]) -> String { amounts.count == 1 ? "was" : "were" }

    private static func sum(_ amounts: [Amount]) -> Amount {
        amounts.reduce(.zero) { $0 + ($1.isNegative ? -$1 : $1) }
    }
}
