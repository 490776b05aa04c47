/// The pages of an answer that comes in several, and where each tells how to get the next.
///
///     pages: { next: $.links.next, at most: 40 pages }
///     pages: { next: $.cursor, as: after, at most: 40 pages }
///     pages: { offset: skip, of: "$.items[*]", at most: 40 pages }
public struct AnswerPages: Sendable, Hashable {
    public enum Next: Sendable, Hashable {
        /// The address of the next page is at this JSONPath.
        case link(String)
        /// A mark at this JSONPath is sent as this parameter of the query.
        case cursor(String, parameter: String)
        /// The number of items so far, which this JSONPath counts on each page, is sent as this parameter of the query.
        case offset(parameter: String, items: String)
    }

    public var next: Next
    /// The most pages to ask for. An answer with more ends the step: a part of a month is not delivered.
    public var limit: Int

    public init(next: Next, limit: Int) {
        self.next = next
        self.limit = limit
    }
}

/// The places of a booking's parts in the entries of a JSON answer. Paths are JSONPaths (RFC 9535) inside one entry.
public struct TransactionMapping: Sendable, Hashable {
    /// A mark that an entry has: the value at the path is this text.
    public struct Mark: Sendable, Hashable {
        public var path: String
        public var text: String

        public init(path: String, is text: String) {
            self.path = path
            self.text = text
        }
    }

    /// A second amount of an entry, which no other entry states: what the bank rounded up and set aside.
    public struct Besides: Sendable, Hashable {
        /// A JSONPath of the amount, which has the sign, the unit and the currency of the entry's own. Nothing there means none.
        public var amount: String
        /// The other party of the booking that is made of it.
        public var payee: String

        public init(amount: String, payee: String) {
            self.amount = amount
            self.payee = payee
        }
    }

    /// The JSONPath of the entries in each answer.
    public var entries: Template
    /// The account's number or name, for the file.
    public var account: Template
    /// The interface's own name for the entry, which is the same in every answer.
    public var id: String
    /// The day on which it was booked: a date, a date and time, or seconds since 1970 in UTC.
    public var booked: String
    /// The day for a pending entry, which has no booking day yet.
    public var made: String?
    public var valued: String?
    /// A number, or a text such as `-11.95`.
    public var amount: String
    /// True for amounts in hundredths, such as cents.
    public var countsMinorUnits: Bool
    /// True where a positive amount has left the account.
    public var isInverted: Bool
    /// Marks an entry that has left the account, where amounts have no sign.
    public var outgoing: Mark?
    /// Three capital letters, or a JSONPath.
    public var currency: String
    public var payee: String?
    /// The other party of an entry that came in, where it stands elsewhere than ``payee``.
    public var payer: String?
    /// A JSONPath that may find several texts, which stand one after the other.
    public var purpose: String?
    /// The balance after the entry.
    public var balance: String?
    /// Marks an entry that is not booked yet.
    public var pending: Mark?
    /// A second booking beside an entry's own. Not with a ``balance``, which cannot say after which of the two it is.
    public var besides: Besides?

    public init(
        entries: Template, account: Template, id: String, booked: String, made: String? = nil, valued: String? = nil,
        amount: String, countsMinorUnits: Bool = false, isInverted: Bool = false, outgoing: Mark? = nil,
        currency: String, payee: String? = nil, payer: String? = nil, purpose: String? = nil, balance: String? = nil,
        pending: Mark? = nil, besides: Besides? = nil
    ) {
        self.entries = entries
        self.account = account
        self.id = id
        self.booked = booked
        self.made = made
        self.valued = valued
        self.amount = amount
        self.countsMinorUnits = countsMinorUnits
        self.isInverted = isInverted
        self.outgoing = outgoing
        self.currency = currency
        self.payee = payee
        self.payer = payer
        self.purpose = purpose
        self.balance = balance
        self.pending = pending
        self.besides = besides
    }

    /// The paths inside an entry, with the names that the language has for them.
    package var paths: [(name: String, path: String)] {
        let own: [(String, String?)] = [
            ("id", id), ("booked", booked), ("made", made), ("valued", valued), ("amount", amount),
            ("currency", currency.hasPrefix("$") ? currency : nil), ("payee", payee), ("payer", payer),
            ("purpose", purpose),
            ("balance", balance), ("outgoing", outgoing?.path), ("pending", pending?.path),
            ("besides", besides?.amount),
        ]
        return own.compactMap { name, path in path.map { (name, $0) } }
    }
}

extension AnswerPages {
    /// Returns the pages with values in their paths.
    package func filling(_ fill: (String) throws -> String) rethrows -> AnswerPages {
        var copy = self
        switch next {
        case .link(let path): copy.next = .link(try fill(path))
        case .cursor(let path, let parameter): copy.next = .cursor(try fill(path), parameter: parameter)
        case .offset(let parameter, let items): copy.next = .offset(parameter: parameter, items: try fill(items))
        }
        return copy
    }
}

extension TransactionMapping {
    /// Returns the mapping with the placeholders of its paths and marks filled in.
    package func filling(_ fill: (String) throws -> String) rethrows -> TransactionMapping {
        var copy = self
        copy.id = try fill(id)
        copy.booked = try fill(booked)
        copy.made = try made.map(fill)
        copy.valued = try valued.map(fill)
        copy.amount = try fill(amount)
        copy.currency = try fill(currency)
        copy.payee = try payee.map(fill)
        copy.payer = try payer.map(fill)
        copy.purpose = try purpose.map(fill)
        copy.balance = try balance.map(fill)
        copy.outgoing = try outgoing.map { Mark(path: try fill($0.path), is: try fill($0.text)) }
        copy.pending = try pending.map { Mark(path: try fill($0.path), is: try fill($0.text)) }
        copy.besides = try besides.map { Besides(amount: try fill($0.amount), payee: try fill($0.payee)) }
        return copy
    }
}
