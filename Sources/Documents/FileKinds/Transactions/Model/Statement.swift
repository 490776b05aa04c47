/// A bank's account of one period.
public struct Statement: Sendable, Hashable {
    /// The money in an account at the end of a day.
    public struct Balance: Sendable, Hashable {
        public var amount: Amount
        public var day: CalendarDay

        public init(amount: Amount, day: CalendarDay) {
            (self.amount, self.day) = (amount, day)
        }
    }

    /// The IBAN, or the account number as the file has it, without spaces. Empty when the file does not say.
    public var account: String
    /// The bank's BIC or number, where the file says it apart from the account.
    public var bank = ""
    /// The kind of account, such as OFX's CHECKING and SAVINGS, which tells two accounts of one number apart.
    public var kind = ""
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
    package var source = ""
    /// The values that were left out or guessed, each as a sentence with its line where it has one.
    public var notes: [String] = []
    /// The bookings that were left out because they could not be read: see ``ReadingOptions/skipsUnreadable``.
    package var unreadable = 0
    /// True when other figures of the file, such as sums or balances between the bookings, contradict them. A note says which.
    public var isContradictory = false
    /// Tells the statements of one file from those of another, also when two files have one name.
    @Incomparable var file: UInt64 = 0
    /// True when the ids of its transactions come from the bank's references, not from the texts.
    var identifiesByReference = false

    /// The account's name in the ids of its transactions, as the file has it.
    private var nameInIDs: String
    /// The account's name in those ids that it would share with another account.
    private var nameInOtherIDs: String?

    /// - Parameters:
    ///   - account: the IBAN, or the account number as the file has it.
    ///   - currency: three capital letters of ISO 4217.
    public init(account: String, currency: String) {
        (self.account, self.currency, nameInIDs) = (account, currency, account)
    }

    /// Returns the id of a transaction that has so many before it that are alike.
    func id(of transaction: Transaction, ordinal: Int) -> String {
        func id(on account: String, _ ordinal: Int) -> String {
            TransactionIdentity.id(of: transaction, on: account, byReference: identifiesByReference, ordinal: ordinal)
        }
        guard let nameInOtherIDs, id(on: nameInIDs, 1) != transaction.key else { return id(on: nameInIDs, ordinal) }
        return id(on: nameInOtherIDs, ordinal)
    }

    /// Names an account of which the file does not say the name.
    ///
    /// Its transactions keep their ids, so that a program that knows them does not take them in again. Only those that another
    /// such account has, too, such as a fee of one day, get others.
    ///
    /// - Parameters:
    ///   - whole: the name among all accounts, which does not depend on what else is read.
    ///   - owners: the first account of each id.
    package mutating func name(account name: String, among whole: String, owners: inout [String: String]) {
        account = name
        nameInOtherIDs = whole
        var identity = TransactionIdentity(account: whole)
        for index in transactions.indices where transactions[index].hasOwnID {
            let key = transactions[index].key
            guard owners[key, default: whole] != whole else {
                owners[key] = whole
                continue
            }
            transactions[index].id = ""
            identity.identify(&transactions[index], byReference: identifiesByReference)
        }
    }

    /// Gives every transaction its id, and the period its ends where the file gave none.
    ///
    /// - Parameter stated: The days that the file states apart from the statement's own fields.
    mutating func complete(byReference: Bool = false, stated: ClosedRange<CalendarDay>? = nil) {
        identifiesByReference = byReference
        nameInIDs = account
        var identity = TransactionIdentity(account: account, expecting: transactions.count)
        for index in transactions.indices {
            identity.identify(&transactions[index], byReference: byReference)
        }
        noteFractions()
        let distant = DistantDays(
            start: [from, opening?.day, stated?.lowerBound].compactMap(\.self).min(),
            end: [to, closing?.day, stated?.upperBound].compactMap(\.self).max())
        notes += distant.notes(transactions)
        let days = transactions.map { $0.booked }
        // A bank books after the opening balance. An earlier day is that of a back-dated value, not of the period.
        let start = opening?.day
        from = from ?? days.filter { day in start.map { day >= $0 } ?? true }.min() ?? start ?? days.min()
        to = to ?? closing?.day ?? days.max() ?? from
    }

    /// Says it where an amount has more decimals than its currency: the mark may be another one than it seems.
    private mutating func noteFractions() {
        let odd = transactions.indices.filter {
            !CurrencyDecimals.has(transactions[$0].amount, in: transactions[$0].currency)
        }
        guard let first = odd.first.map({ transactions[$0] }) else { return }
        notes.append(
            "amounts have more decimals than \(first.currency) has, such as \(first.amount) of \(first.booked); they are kept as they are: \(odd.count)"
        )
    }

    /// Returns whether a text is three capital letters.
    static func isCurrency(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }
}
