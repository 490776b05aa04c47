import Encodings
import Foundation
import Messages

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

extension RequestEnvelope {
    /// Signs the envelope.
    public func signed(with secret: SharedSecret) -> SignedEnvelope {
        // Every member has a canonical form, so signing cannot fail.
        SignedEnvelope(json: (try? secret.signed(members)) ?? .null)
    }
}

extension SignedEnvelope {
    /// The number of seconds that the broker's clock may be ahead of the phone's.
    public static let clockTolerance: TimeInterval = 60

    /// Checks the signature, the version, every field and the expiry, in this order.
    ///
    /// The signature covers all members but `signature`, unknown ones included. The caller has to detect replays,
    /// because that needs a durable memory of nonces.
    ///
    /// - Throws: ``MessageError``.
    public func verified(with secret: SharedSecret, at now: Date) throws(MessageError) -> VerifiedEnvelope {
        let fields = try MessageFields(json, what: "the envelope")
        guard secret.verifies(fields.members) else {
            throw MessageError(
                .badSignature, "the signature is invalid: your broker did not sign this, or it was changed since")
        }
        let envelope = try RequestEnvelope(fields)
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
