import Clocks
import Crypto
import Encodings
import Foundation
import Messages
import Secrets

/// The content of an approval in the form that the device signs (mobile-approvals.md, section 3). Each side makes it
/// from its own knowledge, so a signature verifies only if both saw the same request.
package struct ApprovalSummary: Sendable, Hashable {
    /// The form of what is signed (README.md, "Signed approvals").
    package enum Version: String, Sendable, Hashable {
        /// Its `type` is always `statement`. Phones of version 0.1.0 signed every request so.
        case one = "1"
        /// The approval of several documents: its `type` is the envelope's.
        case two = "2"

        /// Returns the version in which this phone approves a request.
        package init(of envelope: RequestEnvelope) {
            self = envelope.subject.type == RequestEnvelope.statementType ? .one : .two
        }
    }

    /// The value of `lease_seconds`: every approval is for one request.
    private static let noLease: JSONValue = 0

    package let version: Version
    /// The envelope that this device received, with the device's own nonce.
    package let envelope: RequestEnvelope
    package let deviceID: DeviceID
    /// The digest of the script on the approval page: 64 hexadecimal digits.
    package let script: String
    /// The verifications of the person: only ``ApprovalFactor/verifications``.
    package let verifiedBy: Set<ApprovalFactor>

    /// - Parameter version: nil for the envelope's own; see ``Version/init(of:)``.
    package init(
        envelope: RequestEnvelope, deviceID: DeviceID, script: String, verifiedBy: Set<ApprovalFactor>,
        version: Version? = nil
    ) {
        self.version = version ?? Version(of: envelope)
        self.envelope = envelope
        self.deviceID = deviceID
        self.script = script
        self.verifiedBy = verifiedBy.intersection(ApprovalFactor.verifications)
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "version": .string(version.rawValue), "purpose": "countersign approval", "decision": "APPROVE",
            "device_id": .string(deviceID.description), "bank_id": .string(envelope.bankID),
            "type": .string(signedType), "params": envelope.parameters,
            "nonce": .string(envelope.nonce.description), "issued_at": .string(envelope.issuedAt.description),
            "approval_expires_at": .string(envelope.approvalExpiresAt.description), "script": .string(script),
            "verified_by": .array(verifiedBy.sorted().map { .string($0.rawValue) }),
            "lease_seconds": Self.noLease,
        ]
        if let client = envelope.client { members["client"] = .string(client.description) }
        return .object(members)
    }

    private var signedType: String {
        switch version {
        case .one: RequestEnvelope.statementType
        case .two: envelope.subject.type
        }
    }

    /// The 72 bytes that the device key signs: the broker's ID (16), the request's ID (16), the SHA-256 of the
    /// summary's canonical JSON (32), and the approval's expiry in milliseconds since 1970, big-endian (8). Every part
    /// has a fixed length, so different approvals have different bytes.
    package func challenge(of server: ServerID) -> [UInt8] {
        Self.challenge(
            server: server, request: envelope.requestID, summary: json, expiry: envelope.approvalExpiresAt)
    }

    /// Returns the bytes that a device key signs for a summary in JSON.
    static func challenge(server: ServerID, request: RequestID, summary: JSONValue, expiry: Timestamp) -> [UInt8] {
        let end = UInt64(max(0, (expiry.date.timeIntervalSince1970 * 1000).rounded()))
        return UUIDText.bytes(server.description) + UUIDText.bytes(request.description)
            + TrustHash.sha256(summary) + withUnsafeBytes(of: end.bigEndian) { Array($0) }
    }

    /// Signs with a key that a user verification has released.
    package func signed(for server: ServerID, with key: any DeviceKey) async throws -> SignedApproval {
        SignedApproval(
            version: version, deviceID: deviceID, script: script, verifiedBy: verifiedBy,
            signature: try await key.signature(of: challenge(of: server)))
    }
}

/// The member `approval` of a decision: the parts of the summary that the broker does not know, and the signature.
package struct SignedApproval: Sendable, Hashable {
    package let version: ApprovalSummary.Version
    package let deviceID: DeviceID
    package let script: String
    package let verifiedBy: Set<ApprovalFactor>
    package let signature: DeviceSignature

    init(
        version: ApprovalSummary.Version, deviceID: DeviceID, script: String, verifiedBy: Set<ApprovalFactor>,
        signature: DeviceSignature
    ) {
        self.version = version
        self.deviceID = deviceID
        self.script = script
        self.verifiedBy = verifiedBy
        self.signature = signature
    }

    /// - Throws: ``TrustError``.
    package init(json: JSONValue) throws(TrustError) {
        // An approval of version 1 does not name its version.
        let names: Set = ["device_id", "script", "verified_by", "lease_seconds", "signature"]
        version = json["version"] == nil ? .one : .two
        let fields = try TrustFields(
            json, "the approval", exactly: version == .one ? names : names.union(["version"]))
        if version == .two { try fields.check(version: ApprovalSummary.Version.two.rawValue) }
        deviceID = try fields.read("device_id", "a UUID in lower case", DeviceID.init)
        script = try fields.read("script", "a SHA-256 in hexadecimal") { text in
            Base16.isEncoding(text, ofBytes: 32) ? text : nil
        }
        _ = try fields.whole("lease_seconds", in: 0...0)
        signature = try fields.read("signature", "a signature of 64 bytes in base64url", DeviceSignature.init)
        verifiedBy = try Self.verifications(fields.object("verified_by"))
    }

    static func verifications(_ json: JSONValue) throws(TrustError) -> Set<ApprovalFactor> {
        guard let names = json.arrayValue else { throw TrustError(.malformed, "“verified_by” must be a list") }
        let factors = names.compactMap { $0.stringValue.flatMap(ApprovalFactor.init) }
        guard factors.count == names.count, Set(factors).isSubset(of: ApprovalFactor.verifications),
            factors == Set(factors).sorted(), !factors.isEmpty
        else {
            throw TrustError(.malformed, "“verified_by” must name passkey, passphrase or both, in this order")
        }
        return Set(factors)
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "device_id": .string(deviceID.description), "script": .string(script),
            "verified_by": .array(verifiedBy.sorted().map { .string($0.rawValue) }),
            "lease_seconds": 0, "signature": .string(signature.description),
        ]
        if version != .one { members["version"] = .string(version.rawValue) }
        return .object(members)
    }

    /// Checks the signature against the broker's own record of the request.
    ///
    /// - Parameters:
    ///   - envelope: the envelope that this device received.
    ///   - device: the device whose token came with the decision. An approval of another device is refused.
    /// - Returns: the summary that was signed, to be kept with the signature.
    /// - Throws: ``TrustError/Code/badSignature``.
    package func verified(
        envelope: RequestEnvelope, device: DeviceID, key: DevicePublicKey, server: ServerID
    ) throws(TrustError) -> ApprovalSummary {
        guard deviceID == device else {
            throw TrustError(.badSignature, "the approval and the token are from different devices")
        }
        guard version == .one || ApprovalSummary.Version(of: envelope) == .two else {
            throw TrustError(
                .badSignature, "an approval of version 2 is for several documents, and this is a statement")
        }
        let summary = ApprovalSummary(
            envelope: envelope, deviceID: device, script: script, verifiedBy: verifiedBy, version: version)
        guard key.isValid(signature, for: summary.challenge(of: server)) else {
            throw TrustError(.badSignature, "the device's signature does not match the request at the broker")
        }
        return summary
    }
}
