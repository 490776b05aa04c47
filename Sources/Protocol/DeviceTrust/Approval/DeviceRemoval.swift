import Clocks
import Encodings
import Foundation
import Messages

/// The removal of a device, as another device of the same broker signs it: a lost phone is taken away its rights with
/// the phone that is left.
package struct DeviceRemoval: Sendable, Hashable {
    package static let version = "1"
    /// The longest time, in seconds, between the signature and its arrival, in either direction.
    package static let tolerance: TimeInterval = 300

    /// The device that signs.
    package let deviceID: DeviceID
    /// The device to remove.
    package let removed: DeviceID
    /// The verifications of the person: only ``ApprovalFactor/verifications``.
    package let verifiedBy: Set<ApprovalFactor>
    package let signedAt: Timestamp

    package init(of removed: DeviceID, by deviceID: DeviceID, verifiedBy: Set<ApprovalFactor>, at now: Date) {
        self.removed = removed
        self.deviceID = deviceID
        self.verifiedBy = verifiedBy.intersection(ApprovalFactor.verifications)
        signedAt = Timestamp(now)
    }

    private var members: [String: JSONValue] {
        [
            "version": .string(Self.version), "device_id": .string(deviceID.description),
            "removes": .string(removed.description), "signed_at": .string(signedAt.description),
            "verified_by": .array(verifiedBy.sorted().map { .string($0.rawValue) }),
        ]
    }

    /// The bytes that the device key signs. They begin with their purpose and name the broker, so that no signature for
    /// another purpose or another broker fits.
    private func payload(of server: ServerID) -> [UInt8] {
        Array("countersign device removal 1\n\(server)\n".utf8) + TrustHash.sha256(.object(members))
    }

    /// Returns the body of the route, signed with a key that a user verification has released.
    package func signed(for server: ServerID, with key: any DeviceKey) async throws -> JSONValue {
        var body = members
        body["signature"] = .string(try await key.signature(of: payload(of: server)).description)
        return .object(body)
    }

    /// Reads and checks the body of the route.
    ///
    /// - Parameters:
    ///   - device: the device whose token came with it, and its key.
    ///   - removed: the device that the route names.
    /// - Throws: ``TrustError``: `malformed`, or `badSignature` for everything that the device did not sign just now.
    package init(
        body: JSONValue, of removed: DeviceID, by device: DeviceID, key: DevicePublicKey, server: ServerID, at now: Date
    ) throws(TrustError) {
        let fields = try TrustFields(
            body, "the removal", exactly: ["version", "device_id", "removes", "signed_at", "verified_by", "signature"])
        try fields.check(version: Self.version)
        self.deviceID = try fields.read("device_id", "a UUID in lower case", DeviceID.init)
        self.removed = try fields.read("removes", "a UUID in lower case", DeviceID.init)
        signedAt = try fields.read("signed_at", "an ISO 8601 time", Timestamp.init)
        verifiedBy = try SignedApproval.verifications(fields.object("verified_by"))
        let signature = try fields.read(
            "signature", "a signature of 64 bytes in base64url", { DeviceSignature($0) })
        guard deviceID == device, self.removed == removed, key.isValid(signature, for: payload(of: server)) else {
            throw TrustError(.badSignature, "the device's signature does not match this removal")
        }
        guard abs(signedAt.date.timeIntervalSince(now)) <= Self.tolerance else {
            throw TrustError(
                .badSignature,
                "the removal was signed at \(signedAt), not just now; check the clocks of broker and phone")
        }
    }
}
