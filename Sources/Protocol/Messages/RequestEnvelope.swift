import Clocks
import Encodings
import Foundation

/// A request as the broker signs it and the phone shows it (specification, section 7.2).
///
/// A request for a statement has version 1, exactly as specified. A request for several documents, and one with the agent's
/// reason, has version 2 (documents.md).
public struct RequestEnvelope: Sendable, Hashable {
    public static let version = "1"
    public static let documentsVersion = "2"
    public static let statementType = "statement"
    public static let documentsType = "documents"

    public var requestID: RequestID
    public var bankID: String
    public var subject: RequestSubject
    public var issuedAt: Timestamp
    public var approvalExpiresAt: Timestamp
    public var nonce: Nonce
    /// The agent that asks; nil for the agent of `BROKER_API_TOKEN`, whose envelopes are exactly the specification's.
    public var client: AgentName?
    /// The agent's reason, for the person to read; nil when it gave none.
    public var reason: AgentReason?

    public init(
        requestID: RequestID = RequestID(), bankID: String, subject: RequestSubject, issuedAt: Timestamp,
        approvalExpiresAt: Timestamp, nonce: Nonce = Nonce(), client: AgentName? = nil, reason: AgentReason? = nil
    ) {
        self.requestID = requestID
        self.bankID = bankID
        self.subject = subject
        self.issuedAt = issuedAt
        self.approvalExpiresAt = approvalExpiresAt
        self.nonce = nonce
        self.client = client
        self.reason = reason
    }

    /// Makes a request for one statement.
    public init(
        requestID: RequestID = RequestID(), bankID: String, period: MonthYear, issuedAt: Timestamp,
        approvalExpiresAt: Timestamp, nonce: Nonce = Nonce(), client: AgentName? = nil, reason: AgentReason? = nil
    ) {
        self.init(
            requestID: requestID, bankID: bankID, subject: .statement(period), issuedAt: issuedAt,
            approvalExpiresAt: approvalExpiresAt, nonce: nonce, client: client, reason: reason)
    }

    /// The month of a statement, or the first of several. Setting it asks for that statement alone.
    public var period: MonthYear {
        get { subject.periods[0] }
        set { subject = .statement(newValue) }
    }

    public var parameters: JSONValue { subject.parameters }

    /// All members but the signature, which covers members that a phone does not know too.
    package var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "version": .string(version),
            "request_id": .string(requestID.description),
            "type": .string(subject.type),
            "bank_id": .string(bankID),
            "params": parameters,
            "issued_at": .string(issuedAt.description),
            "approval_expires_at": .string(approvalExpiresAt.description),
            "nonce": .string(nonce.description),
        ]
        if let client { members["client"] = .string(client.description) }
        if let reason { members["reason"] = .string(reason.text) }
        return members
    }

    private var version: String {
        switch subject {
        case .statement: reason == nil ? Self.version : Self.documentsVersion
        case .documents: Self.documentsVersion
        }
    }

    /// Reads version, type and every field.
    package init(_ fields: MessageFields) throws(MessageError) {
        let type = fields.members["type"]?.stringValue
        let hasReason = fields.members["reason"] != nil
        try fields.check(version: type == Self.documentsType || hasReason ? Self.documentsVersion : Self.version)
        guard let type, [Self.statementType, Self.documentsType].contains(type) else {
            throw MessageError(
                .malformed,
                "the type “\(try fields.text("type").prefix(20))” is not known; “statement” and “documents” are")
        }
        guard let parameters = fields.members["params"] else { throw MessageError(.malformed, "“params” is missing") }
        let subject = try RequestSubject(type: type, parameters: parameters)
        self.init(
            requestID: try fields.read("request_id", "a UUID in lower case", RequestID.init),
            bankID: try fields.text("bank_id"), subject: subject,
            issuedAt: try fields.read("issued_at", "an ISO 8601 time", Timestamp.init),
            approvalExpiresAt: try fields.read("approval_expires_at", "an ISO 8601 time", Timestamp.init),
            nonce: try fields.read("nonce", "32 lower-case hexadecimal digits", Nonce.init),
            client: fields.members["client"] == nil
                ? nil : try fields.read("client", "an agent's name", AgentName.init),
            reason: hasReason
                ? try fields.read("reason", "a text of 1 to \(AgentReason.longest) characters", AgentReason.init) : nil)
    }
}

/// An envelope as it arrived, not verified yet. Only `Signer` turns it into a verified one.
public struct SignedEnvelope: Sendable, Hashable {
    public let json: JSONValue

    public init(json: JSONValue) {
        self.json = json
    }

    /// The request's ID according to the envelope: use it in messages, never for a decision.
    public var claimedRequestID: String? { json["request_id"]?.stringValue }
}
