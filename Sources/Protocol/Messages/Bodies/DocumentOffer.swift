import Clocks
import Encodings

/// Documents that wait on the phone until its owner asks for them: an agent or a schedule has offered them.
///
/// An offer has no envelope, and so can wait for weeks. Opening it makes a fresh, signed request, which the owner approves as
/// any other (documents.md).
package struct DocumentOffer: Sendable, Hashable {
    package enum Status: String, Sendable, Hashable, CaseIterable {
        /// The owner can open it. So can they again when the request that it made has expired or failed.
        case waiting = "WAITING"
        /// The request that it made is under way.
        case opened = "OPENED"
        /// The documents have come.
        case completed = "COMPLETED"
        /// The owner does not want it, or has denied the request that it made.
        case dismissed = "DISMISSED"
        /// The agent has taken it back.
        case withdrawn = "WITHDRAWN"
        /// The owner has not opened it in time.
        case expired = "EXPIRED"
    }

    package let id: OfferID
    package let status: Status
    /// The bank, by the id in ``BankList``.
    package let bankID: String
    package let from: MonthYear
    package let to: MonthYear
    package let kinds: [DocumentKind]
    /// The accounts by their aliases; empty for every account that the phone has told of when the offer is opened.
    package let accounts: [AccountAlias]
    /// The agent that will have the documents.
    package let agent: AgentName
    /// A schedule of the owner's has made it, and not the agent itself.
    package let isScheduled: Bool
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// The request of its last opening.
    package let requestID: RequestID?

    package init(
        id: OfferID = OfferID(), status: Status = .waiting, bankID: String, _ documents: DocumentsRequest,
        agent: AgentName, isScheduled: Bool = false, createdAt: Timestamp, expiresAt: Timestamp,
        requestID: RequestID? = nil
    ) {
        self.id = id
        self.status = status
        self.bankID = bankID
        (from, to, kinds, accounts) = (documents.from, documents.to, documents.kinds, documents.accounts)
        self.agent = agent
        self.isScheduled = isScheduled
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.requestID = requestID
    }

    /// The request for what is offered.
    package var request: DocumentsRequest {
        DocumentsRequest(from: from, to: to, kinds: kinds, accounts: accounts, bankID: bankID)
    }

    /// The documents in words: `2025-10 to 2025-12, Savings, csv and pdf`.
    package var words: String {
        var parts = [from == to ? "\(from)" : "\(from) to \(to)"]
        if !accounts.isEmpty { parts.append(accounts.map(\.description).joined(separator: " and ")) }
        parts.append(kinds.map(\.rawValue).joined(separator: " and "))
        return parts.joined(separator: ", ")
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "offer_id": .string(id.description), "status": .string(status.rawValue), "bank_id": .string(bankID),
            "from": .string(from.description), "to": .string(to.description),
            "kinds": .array(kinds.map { .string($0.rawValue) }), "agent": .string(agent.description),
            "scheduled": .bool(isScheduled), "created_at": .string(createdAt.description),
            "expires_at": .string(expiresAt.description),
        ]
        if !accounts.isEmpty { members["accounts"] = .array(accounts.map { .string($0.description) }) }
        if let requestID { members["request_id"] = .string(requestID.description) }
        return .object(members)
    }

    /// Reads ``json``; nil when a member is missing or not what it should be. The phone shows what it reads to a person, so
    /// each member has to be one of the project's own values.
    package init?(json: JSONValue) {
        let accounts = json["accounts"]?.arrayValue ?? []
        let aliases = accounts.compactMap { $0.stringValue.flatMap(AccountAlias.init) }
        let names = json["kinds"]?.arrayValue ?? []
        let kinds = names.compactMap { $0.stringValue.flatMap(DocumentKind.init) }
        guard let id = json["offer_id"]?.stringValue.flatMap({ OfferID($0) }),
            let status = json["status"]?.stringValue.flatMap(Status.init),
            let bankID = json["bank_id"]?.stringValue, OfferedBank.isID(bankID),
            let from = json["from"]?.stringValue.flatMap({ MonthYear($0) }),
            let to = json["to"]?.stringValue.flatMap({ MonthYear($0) }), from <= to,
            let agent = json["agent"]?.stringValue.flatMap({ AgentName($0) }),
            let created = json["created_at"]?.stringValue.flatMap({ Timestamp($0) }),
            let expires = json["expires_at"]?.stringValue.flatMap({ Timestamp($0) }),
            aliases.count == accounts.count, aliases.count <= OfferedBank.mostAccounts, !kinds.isEmpty,
            kinds.count == names.count, Set(kinds).count == kinds.count
        else { return nil }
        self.init(
            id: id, status: status, bankID: bankID,
            DocumentsRequest(from: from, to: to, kinds: kinds.sorted(), accounts: aliases.sorted()), agent: agent,
            isScheduled: json["scheduled"] == true, createdAt: created, expiresAt: expires,
            requestID: json["request_id"]?.stringValue.flatMap { RequestID($0) })
    }
}

/// The answer to `GET /offers` and `GET /phone/offers`, newest first.
package struct OfferList: Sendable, Hashable {
    /// The most offers of one list.
    package static let most = 100

    package let offers: [DocumentOffer]

    package init(_ offers: [DocumentOffer]) { self.offers = offers }

    package var json: JSONValue { ["offers": .array(offers.map(\.json))] }

    /// Leaves out what is not an offer; nil for an answer without a list.
    package init?(json: JSONValue) {
        guard let items = json["offers"]?.arrayValue else { return nil }
        offers = items.prefix(Self.most).compactMap(DocumentOffer.init(json:))
    }
}
