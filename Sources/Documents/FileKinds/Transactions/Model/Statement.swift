/// A bank's account of one period.
public struct Statement: Sendable, Hashable {
    /// The money in an account at the end of a day.
    public struct Balance: Sendable, Hashable {
        public var amount: Amount
        public var day: CalendarDay
    }

    /// The IBAN, or the account number as the file has it, without spaces. Empty when the file does not say.
    public var account: String
    /// The bank's BIC or number, where the file says it apart from the account.
    public var bank = ""
    /// Three capital letters of ISO 4217.
    public var currency: String
    /// The statement's own number or id.
    public var number = ""
    public var from: CalendarDay?
    public var to: CalendarDay?
    /// The balance before the first transaction.
    public var opening: Balance?
    /// The balance after the last transaction.
    public var closing: Balance?
    /// In the file's order.
    public var transactions: [Transaction] = []
    /// An interim report (CAMT.052, MT942) is not final; balances of two reports do not follow one another.
    public var isInterim = false
    /// The file's name, for messages.
    public var source = ""

    init(account: String, currency: String) { (self.account, self.currency) = (account, currency) }

    /// Gives every transaction its id, and the period its ends where the file gave none.
    mutating func complete(byReference: Bool = false) {
        var identity = TransactionIdentity(account: account)
        for index in transactions.indices where !TransactionIdentity.isID(transactions[index].id) {
            transactions[index].id = identity.id(of: transactions[index], byReference: byReference)
        }
        let days = transactions.lazy.map(\.booked)
        from = from ?? days.min() ?? opening?.day
        to = to ?? [closing?.day, days.max()].compactMap { $0 }.max() ?? from
    }

    /// Returns whether a text is three capital letters.
    static func isCurrency(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }
}
