import Clocks
import JSON

/// The documents of one request of type `documents`: each kind of each month of each account, except some.
public struct DocumentSelection: Sendable, Hashable {
    /// The most documents of one request.
    public static let most = 120

    /// One of the documents.
    public struct Item: Sendable, Hashable {
        public let place: DocumentPlace
        public let id: DocumentID

        public var account: AccountAlias? { place.account }
        public var period: MonthYear { place.period }
        public var kind: DocumentKind { place.kind }

        package init(_ place: DocumentPlace, id: DocumentID) {
            self.place = place
            self.id = id
        }
    }

    /// The accounts, each once, in the order of their names; none where the request names none.
    public let accounts: [AccountAlias]
    /// The months, oldest first, each once.
    public let periods: [MonthYear]
    /// The kinds, each once, in the order of their names.
    public let kinds: [DocumentKind]
    /// The documents, in the order in which they are fetched.
    public let places: [DocumentPlace]
    /// The documents that the full table of accounts, months and kinds has too, and that the agent has already; in order.
    public let exceptions: [DocumentPlace]

    /// Returns nil for no document, and for more than ``most``.
    public init?(accounts: [AccountAlias] = [], periods: [MonthYear], kinds: [DocumentKind] = [.pdf]) {
        guard accounts.count <= Self.most, periods.count <= Self.most, kinds.count <= Self.most else { return nil }
        self.init(Self.table(accounts, periods, kinds))
    }

    /// Returns nil for no document, for a table of more than ``most``, and when only some places name an account.
    public init?(_ places: [DocumentPlace]) {
        let wanted = Set(places)
        accounts = Set(wanted.compactMap(\.account)).sorted()
        periods = Set(wanted.map(\.period)).sorted()
        kinds = Set(wanted.map(\.kind)).sorted()
        let columns = periods.count.multipliedReportingOverflow(by: kinds.count)
        let all = columns.partialValue.multipliedReportingOverflow(by: max(1, accounts.count))
        guard !columns.overflow, !all.overflow, (1...Self.most).contains(all.partialValue),
            accounts.isEmpty || wanted.allSatisfy({ $0.account != nil })
        else { return nil }
        self.places = wanted.sorted()
        exceptions = Self.table(accounts, periods, kinds).filter { !wanted.contains($0) }
    }

    public var count: Int { places.count }

    private static func table(
        _ accounts: [AccountAlias], _ periods: [MonthYear], _ kinds: [DocumentKind]
    ) -> [DocumentPlace] {
        let named: [AccountAlias?] = accounts.isEmpty ? [nil] : accounts.sorted()
        return named.flatMap { account in
            periods.sorted().flatMap { period in
                kinds.sorted().map { DocumentPlace(account: account, period: period, kind: $0) }
            }
        }
    }

    /// The member `params` of an envelope.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "kinds": .array(kinds.map { .string($0.rawValue) }),
            "periods": .array(periods.map { .string($0.description) }),
        ]
        if !accounts.isEmpty { members["accounts"] = .array(accounts.map { .string($0.description) }) }
        if !exceptions.isEmpty { members["except"] = .array(exceptions.map(\.json)) }
        return .object(members)
    }

    /// Reads ``json``; nil when anything is out of order, given twice or left over, so that a selection has one form.
    init?(json members: [String: JSONValue]) {
        func list<Element>(_ name: String, _ read: (JSONValue) -> Element?) -> [Element]? {
            guard let items = members[name] else { return [] }
            guard let array = items.arrayValue, array.count <= Self.most else { return nil }
            let elements = array.compactMap(read)
            return elements.count == array.count ? elements : nil
        }
        guard Set(members.keys).isSubset(of: ["accounts", "except", "kinds", "periods"]),
            members["accounts"]?.arrayValue?.isEmpty != true, members["except"]?.arrayValue?.isEmpty != true,
            let accounts = list("accounts", { $0.stringValue.flatMap(AccountAlias.init) }),
            let periods = list("periods", { $0.stringValue.flatMap(MonthYear.init) }),
            let kinds = list("kinds", { $0.stringValue.flatMap(DocumentKind.init) }),
            let exceptions = list("except", DocumentPlace.init(json:)),
            let all = DocumentSelection(accounts: accounts, periods: periods, kinds: kinds)
        else { return nil }
        let left = Set(exceptions)
        guard let selection = DocumentSelection(all.places.filter { !left.contains($0) }),
            selection.accounts == accounts, selection.periods == periods, selection.kinds == kinds,
            selection.exceptions == exceptions
        else { return nil }
        self = selection
    }
}

/// The subject of a request: one statement, or several documents.
public enum RequestSubject: Sendable, Hashable {
    case statement(MonthYear)
    case documents(DocumentSelection)

    /// The request's type, as it travels.
    public var type: String {
        switch self {
        case .statement: RequestEnvelope.statementType
        case .documents: RequestEnvelope.documentsType
        }
    }

    /// The months, oldest first; at least one.
    public var periods: [MonthYear] {
        switch self {
        case .statement(let period): [period]
        case .documents(let selection): selection.periods
        }
    }

    /// The number of documents; 1 for a statement.
    public var count: Int {
        switch self {
        case .statement: 1
        case .documents(let selection): selection.count
        }
    }

    /// The member `params` of an envelope.
    public var parameters: JSONValue {
        switch self {
        case .statement(let period): ["month": .number(Double(period.month)), "year": .number(Double(period.year))]
        case .documents(let selection): selection.json
        }
    }

    /// Reads ``parameters``. Documents have to be in order, each once, so that a subject has one form.
    ///
    /// - Throws: ``MessageError``.
    public init(type: String, parameters: JSONValue) throws(MessageError) {
        let fields = try MessageFields(parameters, what: "“params”")
        switch type {
        case RequestEnvelope.statementType:
            guard Set(fields.members.keys) == ["month", "year"],
                let month = MonthYear(month: try fields.whole("month"), year: try fields.whole("year"))
            else { throw MessageError(.malformed, "“params” must be a month (1-12) and a year") }
            self = .statement(month)
        case RequestEnvelope.documentsType:
            guard let selection = DocumentSelection(json: fields.members)
            else {
                throw MessageError(
                    .malformed,
                    "“params” must be months such as 2026-01, kinds and accounts, each in order and once, and at most "
                        + "\(DocumentSelection.most) documents")
            }
            self = .documents(selection)
        default:
            throw MessageError(.malformed, "the type “\(type.prefix(20))” is not known; “statement” is")
        }
    }

    /// `statement` or `documents`, for a sentence.
    public var noun: String { type }

    /// The request in words for a person who reads a list: `2026-01`, or `2025-01 to 2025-12, Savings, csv and pdf, 24
    /// documents`.
    public var words: String {
        guard case .documents(let selection) = self, let first = periods.first, let last = periods.last else {
            return periods[0].description
        }
        var parts = [first == last ? "\(first)" : "\(first) to \(last)"]
        if !selection.accounts.isEmpty {
            parts.append(selection.accounts.map(\.description).joined(separator: " and "))
        }
        if selection.kinds != [.pdf] { parts.append(selection.kinds.map(\.rawValue).joined(separator: " and ")) }
        parts.append(selection.count == 1 ? "1 document" : "\(selection.count) documents")
        return parts.joined(separator: ", ")
    }
}
