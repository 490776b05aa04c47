import Clocks
import Foundation
import JSON

/// A request as the broker signs it and the phone shows it (specification, section 7.2).
public struct RequestEnvelope: Sendable, Hashable {
    public static let version = "1"
    public static let statementType = "statement"

    public var requestID: RequestID
    public var bankID: String
    public var period: MonthYear
    public var issuedAt: Timestamp
    public var approvalExpiresAt: Timestamp
    public var nonce: Nonce
    /// The agent that asks; nil for the agent of `BROKER_API_TOKEN`, whose envelopes are exactly the specification's.
    public var client: AgentName?

    public init(
        requestID: RequestID = RequestID(), bankID: String, period: MonthYear, issuedAt: Timestamp,
        approvalExpiresAt: Timestamp, nonce: Nonce = Nonce(), client: AgentName? = nil
    ) {
        self.requestID = requestID
        self.bankID = bankID
        self.period = period
        self.issuedAt = issuedAt
        self.approvalExpiresAt = approvalExpiresAt
        self.nonce = nonce
        self.client = client
    }

    public var parameters: JSONValue {
        ["month": .number(Double(period.month)), "year": .number(Double(period.year))]
    }

    /// All members but the signature, which covers members that a phone does not know too.
    package var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "version": .string(Self.version),
            "request_id": .string(requestID.description),
            "type": .string(Self.statementType),
            "bank_id": .string(bankID),
            "params": parameters,
            "issued_at": .string(issuedAt.description),
            "approval_expires_at": .string(approvalExpiresAt.description),
            "nonce": .string(nonce.description),
        ]
        if let client { members["client"] = .string(client.description) }
        return members
    }

    /// Reads version, type and every field.
    package init(_ fields: MessageFields) throws(MessageError) {
        try fields.check(version: Self.version)
        let type = try fields.text("type")
        guard type == Self.statementType else {
            throw MessageError(.malformed, "the type “\(type.prefix(20))” is not known; “statement” is")
        }
        guard let parameters = fields.members["params"] else { throw MessageError(.malformed, "“params” is missing") }
        let period = try MessageFields(parameters, what: "“params”")
        guard Set(period.members.keys) == ["month", "year"],
            let month = MonthYear(month: try period.whole("month"), year: try period.whole("year"))
        else { throw MessageError(.malformed, "“params” must be a month (1-12) and a year") }
        self.init(
            requestID: try fields.read("request_id", "a UUID in lower case", RequestID.init),
            bankID: try fields.text("bank_id"), period: month,
            issuedAt: try fields.read("issued_at", "an ISO 8601 time", Timestamp.init),
            approvalExpiresAt: try fields.read("approval_expires_at", "an ISO 8601 time", Timestamp.init),
            nonce: try fields.read("nonce", "32 lower-case hexadecimal digits", Nonce.init),
            client: fields.members["client"] == nil
                ? nil : try fields.read("client", "an agent's name", AgentName.init))
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
