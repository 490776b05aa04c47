import Clocks
import Encodings

/// The body of `POST /request` for several documents (documents.md).
package struct DocumentsRequest: Sendable, Hashable {
    /// The first and the last month.
    package var from: MonthYear
    package var to: MonthYear
    /// The day of `from` to begin with; nil for its first.
    package var firstDay: Int?
    /// The day of `to` to end with; nil for its last.
    package var lastDay: Int?
    package var kinds: [DocumentKind]
    /// The accounts by their aliases; empty for every account that the phone has told of.
    package var accounts: [AccountAlias]
    /// The bank, by the id in ``BankList``; nil for the broker's own.
    package var bankID: String?
    /// Fetches documents again that this agent has already.
    package var refetches: Bool
    /// The agent's own name for the request, an idempotency key: 1 to 200 characters.
    package var agentRequestID: String?
    /// The agent's reason, which the person reads.
    package var reason: AgentReason?
    /// The member that named the accounts, for error messages: `account` or `accounts`.
    package private(set) var accountsField = "accounts"

    package init(
        from: MonthYear, to: MonthYear, kinds: [DocumentKind] = [.pdf], accounts: [AccountAlias] = [],
        bankID: String? = nil, refetches: Bool = false, agentRequestID: String? = nil, reason: AgentReason? = nil
    ) {
        self.from = from
        self.to = to
        self.kinds = kinds
        self.accounts = accounts
        self.bankID = bankID
        self.refetches = refetches
        self.agentRequestID = agentRequestID
        self.reason = reason
    }

    /// Returns the same request, whose accounts another member has named.
    package func naming(_ accountsField: String) -> DocumentsRequest {
        var request = self
        request.accountsField = accountsField
        return request
    }

    /// Returns the same request from one day or month to another.
    package func from(_ first: RangeEnd, to last: RangeEnd) -> DocumentsRequest {
        var request = self
        (request.from, request.to) = (first.month, last.month)
        request.firstDay = first.day == 1 ? nil : first.day
        request.lastDay = last.day == last.month.length ? nil : last.day
        return request
    }

    /// Returns the documents that are asked for.
    ///
    /// - Parameter all: the accounts that a request means that names none.
    /// - Throws: ``BodyError`` for an empty range, and for more than ``DocumentSelection/most``.
    package func selection(of all: [AccountAlias] = []) throws(BodyError) -> DocumentSelection {
        guard RangeEnd(from, firstDay).mayPrecede(RangeEnd(to, lastDay)) else {
            throw .invalid("to", "before “from”")
        }
        let wanted = accounts.isEmpty ? all : accounts
        let selection = DocumentSelection(
            accounts: wanted, periods: from.through(to), kinds: kinds, firstDay: firstDay, lastDay: lastDay)
        guard let selection else {
            throw .invalid(
                "to",
                "too far from “from”: a request has at most \(DocumentSelection.most) documents, and these are "
                    + "\(from.through(to).count) months × \(kinds.count) kinds × \(max(1, wanted.count)) accounts; "
                    + "ask in parts")
        }
        return selection
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "type": .string(RequestEnvelope.documentsType),
            "from": .string(firstDay.map(from.date) ?? from.description),
            "to": .string(lastDay.map(to.date) ?? to.description), "kinds": .array(kinds.map { .string($0.rawValue) }),
        ]
        if !accounts.isEmpty { members["accounts"] = .array(accounts.map { .string($0.description) }) }
        if let bankID { members["bank_id"] = .string(bankID) }
        if refetches { members["refetch"] = true }
        if let agentRequestID { members["agent_request_id"] = .string(agentRequestID) }
        if let reason { members["reason"] = .string(reason.text) }
        return .object(members)
    }

    /// The members that say which documents.
    private static let selecting = ["from", "to", "kinds", "account", "accounts", "bank_id"]

    /// - Throws: ``BodyError`` that names the unknown fields, or the first field that is missing or out of range.
    init(
        _ fields: BodyFields, kind: (String) -> DocumentKind? = DocumentKind.init(rawValue:)
    ) throws(BodyError) {
        try fields.refuseOthers(than: ["type"] + Self.selecting + ["refetch", "agent_request_id", "reason"])
        try self.init(selectedBy: fields, kind)
        refetches = try fields.optionalFlag("refetch") ?? false
        agentRequestID = try fields.agentRequestID()
        reason = try fields.reason()
    }

    /// Reads ``json`` that this program, or one with other plug-ins, once kept.
    ///
    /// - Throws: ``BodyError``.
    package init(kept json: JSONValue) throws(BodyError) {
        try self.init(BodyFields(json), kind: DocumentKind.told)
    }

    /// Reads the body of `POST /offers`, which has the members of a request that say which documents.
    ///
    /// - Throws: ``BodyError`` that names the unknown fields, or the first field that is missing or out of range.
    package init(offer json: JSONValue) throws(BodyError) {
        let fields = BodyFields(json)
        try fields.refuseOthers(than: Self.selecting)
        try self.init(selectedBy: fields, DocumentKind.init(rawValue:))
        guard firstDay == nil, lastDay == nil else {
            throw .invalid(firstDay == nil ? "to" : "from", "a day; an offer has whole months such as 2026-01")
        }
    }

    private init(selectedBy fields: BodyFields, _ kind: (String) -> DocumentKind?) throws(BodyError) {
        let (accounts, field) = try Self.accounts(in: fields)
        let (first, last) = (try Self.end("from", in: fields), try Self.end("to", in: fields))
        self = DocumentsRequest(
            from: first.month, to: last.month, kinds: try Self.kinds(in: fields, kind), accounts: accounts,
            bankID: try fields.bankID()
        ).from(first, to: last)
        accountsField = field
        _ = try selection()
    }

    /// The body of `POST /offers`.
    package var offerJSON: JSONValue {
        var members = json.objectValue ?? [:]
        for name in members.keys where !Self.selecting.contains(name) { members[name] = nil }
        return .object(members)
    }

    private static func end(_ name: String, in fields: BodyFields) throws(BodyError) -> RangeEnd {
        guard let end = RangeEnd(try fields.text(name, atMost: 10)) else {
            throw .invalid(name, "not a month such as 2026-01, or a day such as 2026-01-15")
        }
        guard StatementRequest.years.contains(end.month.year) else {
            throw .invalid(
                name, "not from \(StatementRequest.years.lowerBound) to \(StatementRequest.years.upperBound)")
        }
        return end
    }

    /// Reads `account`, which names one, or `accounts`.
    private static func accounts(in fields: BodyFields) throws(BodyError) -> ([AccountAlias], field: String) {
        let one = try fields.optionalText("account", atMost: AccountAlias.longest * 4)
        let several = try fields.optionalTexts("accounts", atMost: AccountAlias.longest * 4)
        guard one == nil || several == nil else {
            throw .invalid("accounts", "given beside “account”; give one of them")
        }
        guard let names = one.map({ [$0] }) ?? several else { return ([], "accounts") }
        let field = one == nil ? "accounts" : "account"
        let accounts = names.compactMap(AccountAlias.init)
        guard !accounts.isEmpty, accounts.count == names.count else {
            throw .invalid(field, "not an alias: \(AccountAlias.rule)")
        }
        guard Set(accounts).count == accounts.count else { throw .invalid(field, "a list that names one twice") }
        return (accounts.sorted(), field)
    }

    private static func kinds(
        in fields: BodyFields, _ kind: (String) -> DocumentKind?
    ) throws(BodyError) -> [DocumentKind] {
        guard let names = try fields.optionalTexts("kinds", atMost: 20) else { return [.pdf] }
        let known = DocumentKind.allCases.map(\.rawValue).joined(separator: ", ")
        let kinds = names.compactMap(kind)
        guard !kinds.isEmpty, kinds.count == names.count else { throw .invalid("kinds", "not among: \(known)") }
        guard Set(kinds).count == kinds.count else { throw .invalid("kinds", "a list that names one twice") }
        return kinds.sorted()
    }
}

/// The body of `POST /request`, of any type.
package enum AgentRequestBody: Sendable, Hashable {
    case statement(StatementRequest)
    case documents(DocumentsRequest)

    /// The agent's own name for the request.
    package var agentRequestID: String? {
        switch self {
        case .statement(let request): request.agentRequestID
        case .documents(let request): request.agentRequestID
        }
    }

    /// - Throws: ``BodyError``.
    package init(json: JSONValue) throws(BodyError) {
        let fields = BodyFields(json)
        switch try fields.text("type", atMost: 64) {
        case RequestEnvelope.statementType: self = .statement(try StatementRequest(json: json))
        case RequestEnvelope.documentsType: self = .documents(try DocumentsRequest(fields))
        default: throw BodyError(.invalidRequestType, "the types are “statement” and “documents”")
        }
    }
}
