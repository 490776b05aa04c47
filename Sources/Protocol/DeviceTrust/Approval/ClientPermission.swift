import Clocks
import Encodings
import Foundation
import Messages

/// The permission for a program elsewhere to ask for documents as an agent, as a person gives it on their phone.
///
/// A paired phone signs it with its device key, which a verification of the person releases. A phone that is not paired has
/// no key; its body has no signature, and its token stands for it, as for its approvals.
package struct ClientPermission: Sendable, Hashable {
    package static let version = "1"
    /// The longest time, in seconds, between the signature and its arrival, in either direction.
    package static let tolerance: TimeInterval = 300
    /// The longest number, in characters.
    static let longestNumber = 32

    /// The question that it answers.
    package let ask: RequestID
    /// The program and its return address, as the person saw them.
    package let clientID: String
    package let returnsTo: String
    /// The number that the browser shows which waits for the answer: it binds the permission to that browser.
    package let number: String
    /// The name that the person gives the program.
    package let agent: AgentName
    package let limits: ClientLimits
    package let verifiedBy: Set<ApprovalFactor>
    package let signedAt: Timestamp

    /// - Parameter verifiedBy: the verifications of the person: only ``ApprovalFactor/verifications``.
    package init(
        for client: WaitingClient, number: String, agent: AgentName, limits: ClientLimits,
        verifiedBy: Set<ApprovalFactor>, at now: Date
    ) {
        (ask, clientID, returnsTo) = (client.id, client.clientID, client.returnsTo)
        (self.number, self.agent, self.limits) = (number, agent, limits)
        self.verifiedBy = verifiedBy.intersection(ApprovalFactor.verifications)
        signedAt = Timestamp(now)
    }

    private var members: [String: JSONValue] {
        [
            "version": .string(Self.version), "ask_id": .string(ask.description), "client_id": .string(clientID),
            "returns_to": .string(returnsTo), "number": .string(number), "agent": .string(agent.description),
            "limits": limits.json, "signed_at": .string(signedAt.description),
            "verified_by": .array(verifiedBy.sorted().map { .string($0.rawValue) }),
        ]
    }

    /// The bytes that the device key signs. They begin with their purpose and name the broker, so that no signature for
    /// another purpose or another broker fits.
    private func payload(of server: ServerID, by device: DeviceID) -> [UInt8] {
        var members = members
        members["device_id"] = .string(device.description)
        return Array("countersign client permission 1\n\(server)\n".utf8) + TrustHash.sha256(.object(members))
    }

    /// The body of the route, without a signature.
    package var unsigned: JSONValue { .object(members) }

    /// Returns the body of the route, signed with a key that a user verification has released.
    package func signed(
        for server: ServerID, by device: DeviceID, with key: any DeviceKey
    ) async throws -> JSONValue {
        var body = members
        body["device_id"] = .string(device.description)
        body["signature"] = .string(try await key.signature(of: payload(of: server, by: device)).description)
        return .object(body)
    }

    /// Reads and checks the body of the route.
    ///
    /// - Parameters:
    ///   - signer: the paired device whose token came with it, and its key; nil for the default device, which cannot sign.
    /// - Throws: ``TrustError``: `malformed`, or `badSignature` for everything that the device did not sign just now.
    package init(
        body: JSONValue, for ask: RequestID, by signer: (device: DeviceID, key: DevicePublicKey)?, server: ServerID,
        at now: Date
    ) throws(TrustError) {
        var names: Set<String> = [
            "version", "ask_id", "client_id", "returns_to", "number", "agent", "limits", "signed_at", "verified_by",
        ]
        if signer != nil { names.formUnion(["device_id", "signature"]) }
        let fields = try TrustFields(body, "the permission", exactly: names)
        try fields.check(version: Self.version)
        self.ask = try fields.read("ask_id", "a UUID in lower case", { RequestID($0) })
        let address = { (text: String) in text.utf8.count <= WaitingClient.longestAddress ? text : nil }
        clientID = try fields.read("client_id", "an identifier", address)
        returnsTo = try fields.read("returns_to", "an address", address)
        number = try fields.read("number", "the number that the browser shows") { text in
            (1...Self.longestNumber).contains(text.utf8.count) ? text : nil
        }
        agent = try fields.read(
            "agent", "1 to 40 lower-case letters, digits, dots, hyphens and underscores", { AgentName($0) })
        do {
            limits = try ClientLimits(json: fields.object("limits"))
        } catch {
            throw TrustError(.malformed, error.message)
        }
        signedAt = try fields.read("signed_at", "an ISO 8601 time", { Timestamp($0) })
        verifiedBy = try SignedApproval.verifications(fields.object("verified_by"))
        guard self.ask == ask else {
            throw TrustError(.malformed, "“ask_id” names another question than the address does")
        }
        guard let signer else { return }
        let named = try fields.read("device_id", "a UUID in lower case", DeviceID.init)
        let signature = try fields.read(
            "signature", "a signature of 64 bytes in base64url", { DeviceSignature($0) })
        guard named == signer.device, signer.key.isValid(signature, for: payload(of: server, by: signer.device)) else {
            throw TrustError(.badSignature, "the device's signature does not match this permission")
        }
        guard abs(signedAt.date.timeIntervalSince(now)) <= Self.tolerance else {
            throw TrustError(
                .badSignature,
                "the permission was signed at \(signedAt), not just now; check the clocks of broker and phone")
        }
    }
}
