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

    public init(
        requestID: RequestID = RequestID(), bankID: String, period: MonthYear, issuedAt: Timestamp,
        approvalExpiresAt: Timestamp, nonce: Nonce = Nonce()
    ) {
        self.requestID = requestID
        self.bankID = bankID
        self.period = period
        self.issuedAt = issuedAt
        self.approvalExpiresAt = approvalExpiresAt
        self.nonce = nonce
    }

    public var parameters: JSONValue {
        ["month": .number(Double(period.month)), "year": .number(Double(period.year))]
    }

    public func signed(with secret: SharedSecret) -> SignedEnvelope {
        let members: [String: JSONValue] = [
            "version": .string(Self.version),
            "request_id": .string(requestID.description),
            "type": .string(Self.statementType),
            "bank_id": .string(bankID),
            "params": parameters,
            "issued_at": .string(issuedAt.description),
            "approval_expires_at": .string(approvalExpiresAt.description),
            "nonce": .string(nonce.description),
        ]
        // Every member above has a canonical form, so signing cannot fail.
        return SignedEnvelope(json: (try? secret.signed(members)) ?? .null)
    }
}

/// An envelope as it came, believed by nobody yet.
public struct SignedEnvelope: Sendable, Hashable {
    public let json: JSONValue

    public init(json: JSONValue) {
        self.json = json
    }

    /// What the envelope claims to be called; for a message about it, never for a decision.
    public var claimedRequestID: String? { json["request_id"]?.stringValue }

    /// How far ahead of ours the broker's clock may be.
    public static let clockTolerance: TimeInterval = 60

    /// Checks signature, version, every field and the expiry, in this order. A replay is the caller's to find, with a
    /// ``ReplayGuard``, because it has to be remembered.
    ///
    /// All members but `signature` are signed, those that this version does not know included.
    ///
    /// - Throws: ``MessageError``.
    public func verified(with secret: SharedSecret, at now: Date) throws(MessageError) -> VerifiedEnvelope {
        let fields = try MessageFields(json, what: "the envelope")
        guard secret.verifies(fields.members) else {
            throw MessageError(.badSignature, "the signature does not fit: not signed by your broker, or changed since")
        }
        try fields.check(version: RequestEnvelope.version)
        let type = try fields.text("type")
        guard type == RequestEnvelope.statementType else {
            throw MessageError(.malformed, "the type “\(type.prefix(20))” is not known; “statement” is")
        }
        guard let parameters = fields.members["params"] else { throw MessageError(.malformed, "“params” is missing") }
        let period = try MessageFields(parameters, what: "“params”")
        guard Set(period.members.keys) == ["month", "year"],
            let month = MonthYear(month: try period.whole("month"), year: try period.whole("year"))
        else { throw MessageError(.malformed, "“params” is no month (1 to 12) and year") }
        let envelope = RequestEnvelope(
            requestID: try fields.read("request_id", "UUID in lower case", RequestID.init),
            bankID: try fields.text("bank_id"), period: month,
            issuedAt: try fields.read("issued_at", "ISO 8601 time", Timestamp.init),
            approvalExpiresAt: try fields.read("approval_expires_at", "ISO 8601 time", Timestamp.init),
            nonce: try fields.read("nonce", "32 lower-case hexadecimal digits", Nonce.init))
        guard envelope.issuedAt.date <= now.addingTimeInterval(Self.clockTolerance) else {
            throw MessageError(
                .notYetValid, "issued at \(envelope.issuedAt), in the future; check the clocks of broker and phone")
        }
        guard envelope.approvalExpiresAt.date > now else {
            throw MessageError(.expired, "expired at \(envelope.approvalExpiresAt)")
        }
        return VerifiedEnvelope(envelope: envelope, signed: self)
    }
}

/// An envelope whose signature was checked: the only kind that may be shown for approval, or run.
public struct VerifiedEnvelope: Sendable, Hashable {
    public let envelope: RequestEnvelope
    public let signed: SignedEnvelope

    fileprivate init(envelope: RequestEnvelope, signed: SignedEnvelope) {
        self.envelope = envelope
        self.signed = signed
    }

    public var signature: String { signed.json["signature"]?.stringValue ?? "" }
}
