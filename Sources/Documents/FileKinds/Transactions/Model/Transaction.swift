import Crypto
import Encodings

/// A booking on an account.
public struct Transaction: Sendable, Hashable {
    /// Names the transaction for good: see ``TransactionIdentity``.
    package internal(set) var id = ""
    /// The id of the first of those that are alike in everything.
    var key = ""
    /// True for an id that was made from the transaction, false for one that the file has.
    var hasOwnID = false
    public var booked: CalendarDay
    /// The day from which interest counts.
    public var valued: CalendarDay?
    /// Positive when the account received it.
    public var amount: Amount
    /// Three capital letters of ISO 4217.
    public var currency: String
    /// The name of the other party.
    public var counterparty = ""
    /// The other party's IBAN or account number.
    public var counterpartyAccount = ""
    /// The purpose of the payment, on one line.
    public var purpose = ""
    /// The reference that the bank gave, e.g. OFX's FITID or CAMT's AcctSvcrRef.
    public var bankReference = ""
    /// The reference that the payer gave, e.g. CAMT's EndToEndId or a cheque number.
    public var payerReference = ""
    /// The further parts of the bank's text, each with its name: `BIC ABNANL2A; MARF 1`. They do not count in ``id``.
    public var details = ""
    /// The bank's code for its kind, e.g. `NTRF` or `PMNT-RCDT-ESCT`.
    public var code = ""

    public init(booked: CalendarDay, amount: Amount, currency: String) {
        (self.booked, self.amount, self.currency) = (booked, amount, currency)
    }
}

/// Makes the stable ids of one statement's transactions.
///
/// An id is a digest of what identifies the transaction on its account. Two that are alike in everything, such as two
/// coffees on one day, differ by their ordinal. The same booking in two overlapping statements of one format has the same
/// id, whatever else the statements hold. What several statements have together is counted in ``JoinedBookings``.
struct TransactionIdentity {
    /// An id that this module gave earlier and that a file carries, such as our own OFX export, is kept.
    static let prefix = "tx-"

    private let account: String
    /// The number of transactions of each key.
    private var seen: [String: Int] = [:]

    init(account: String, expecting count: Int = 0) {
        self.account = account
        seen.reserveCapacity(count)
    }

    /// Returns whether a text has the form of an id.
    static func isID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == prefix.utf8.count + 40 && text.hasPrefix(prefix)
            && text.utf8.dropFirst(prefix.utf8.count).allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
            }
    }

    /// Gives the transaction its id, and keeps one that the file has.
    mutating func identify(_ transaction: inout Transaction, byReference: Bool) {
        guard !Self.isID(transaction.id) else {
            transaction.key = transaction.id
            return
        }
        let text = Self.text(of: transaction, on: account, byReference: byReference)
        func next(_ count: inout Int) -> Int {
            count += 1
            return count
        }
        transaction.hasOwnID = true
        transaction.key = Self.id(text, 1)
        let ordinal = next(&seen[transaction.key, default: 0])
        transaction.id = ordinal == 1 ? transaction.key : Self.id(text, ordinal)
    }

    /// Returns the id of a transaction that has so many before it that are alike.
    static func id(
        of transaction: Transaction, on account: String, byReference: Bool, ordinal: Int
    ) -> String {
        id(text(of: transaction, on: account, byReference: byReference), ordinal)
    }

    private static func id(_ text: [UInt8], _ ordinal: Int) -> String {
        prefix + Base16.encode(Array(SHA256.hash(data: text + "#\(ordinal)".utf8).prefix(20)))
    }

    /// Returns the parts that identify the transaction. OFX promises that FITID is unique on its account, so with `byReference` the texts
    /// do not count: banks change them between downloads.
    private static func text(of transaction: Transaction, on account: String, byReference: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(256)
        // The length before each part keeps ["ab", "c"] and ["a", "bc"] apart.
        func add(_ part: String) {
            text += String(part.utf8.count).utf8
            text.append(UInt8(ascii: ":"))
            text += part.utf8
        }
        add(account)
        add(transaction.booked.description)
        add(transaction.amount.description)
        add(transaction.currency)
        add(transaction.bankReference)
        if !byReference || transaction.bankReference.isEmpty {
            add(transaction.payerReference)
            add(transaction.counterparty)
            add(transaction.counterpartyAccount)
            add(transaction.purpose)
            add(transaction.code)
        }
        return text
    }
}
