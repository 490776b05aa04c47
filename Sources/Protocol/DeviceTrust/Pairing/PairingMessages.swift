import Clocks
import Encodings
import Foundation
import Messages
import Secrets

/// The phone's first message: it commits to a hello that it keeps to itself.
struct PairingCommitment {
    /// The SHA-256 of the hello's canonical JSON.
    let hash: [UInt8]

    init(to hello: PairingHello) {
        hash = TrustHash.sha256(hello.json)
    }

    init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(json, "the device's first message", exactly: ["version", "commitment"])
        try fields.check(version: PairingTranscript.version)
        hash = try fields.bytes("commitment", count: 32)
    }

    var json: JSONValue {
        ["version": .string(PairingTranscript.version), "commitment": .string(Base64URL.encode(hash))]
    }
}

/// The phone's description of itself. The phone commits to it before it hears the broker, and shows it after.
package struct PairingHello: Sendable, Hashable {
    /// The longest name, in characters.
    package static let longestName = 64

    package let deviceID: DeviceID
    package let publicKey: DevicePublicKey
    /// The person's name for the device: 1 to 64 visible characters.
    package let name: String
    /// Made for this pairing only.
    package let ephemeral: AgreementPublicKey
    package let nonce: Nonce

    /// - Throws: ``TrustError/Code/malformed`` for a name that cannot be shown.
    package init(
        deviceID: DeviceID, publicKey: DevicePublicKey, name: String, ephemeral: AgreementPublicKey, nonce: Nonce
    ) throws(TrustError) {
        guard let name = DeviceName.checked(name) else {
            throw TrustError(.malformed, "the name of a device must have 1 to \(Self.longestName) visible characters")
        }
        self.deviceID = deviceID
        self.publicKey = publicKey
        self.name = name
        self.ephemeral = ephemeral
        self.nonce = nonce
    }

    package init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(
            json, "the device's hello",
            exactly: ["device_id", "device_pubkey", "device_name", "device_ephemeral", "device_nonce"])
        try self.init(
            deviceID: try fields.read("device_id", "a UUID in lower case", DeviceID.init),
            publicKey: try fields.read("device_pubkey", "a P-256 public key", DevicePublicKey.init(_:)),
            name: try fields.read("device_name", "a name of 1 to 64 visible characters", DeviceName.checked),
            ephemeral: try fields.read("device_ephemeral", "a P-256 public key", AgreementPublicKey.init),
            nonce: try fields.read("device_nonce", "32 hexadecimal digits", Nonce.init))
    }

    package var json: JSONValue {
        [
            "device_id": .string(deviceID.description), "device_pubkey": .string(publicKey.description),
            "device_name": .string(name), "device_ephemeral": .string(ephemeral.description),
            "device_nonce": .string(nonce.description),
        ]
    }
}

/// The rule for names of devices.
package enum DeviceName {
    /// Returns nil for a name that is empty, too long or padded, or that has a character which is invisible or changes
    /// the direction of the text.
    package static func checked(_ text: String) -> String? {
        guard (1...PairingHello.longestName).contains(text.count), text.utf8.count <= 4 * PairingHello.longestName,
            text == text.trimmingCharacters(in: .whitespacesAndNewlines),
            text.unicodeScalars.allSatisfy({ scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            })
        else { return nil }
        return text
    }
}

/// The broker's answer to the commitment: its identity, and its share of this one attempt.
package struct PairingOffer: Sendable, Hashable {
    package let session: Int
    /// Identifies the attempt: several phones may try at once, and one wins.
    package let attempt: Nonce
    package let server: ServerIdentity
    package let ephemeral: AgreementPublicKey
    /// The broker's share of the agreement that takes the code.
    package let share: CodeShare
    package let nonce: Nonce
    /// Nil when the broker itself does not serve TLS.
    package let certificate: CertificateFingerprint?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp

    init(
        session: Int, attempt: Nonce = Nonce(), server: ServerIdentity, ephemeral: AgreementPublicKey,
        share: CodeShare, nonce: Nonce = Nonce(), certificate: CertificateFingerprint?, createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.session = session
        self.attempt = attempt
        self.server = server
        self.ephemeral = ephemeral
        self.share = share
        self.nonce = nonce
        self.certificate = certificate
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    package init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(
            json, "the broker's offer",
            exactly: [
                "version", "session", "attempt", "server_id", "server_pubkey", "server_ephemeral", "server_share",
                "server_nonce", "tls_sha256", "created_at", "expires_at",
            ])
        try fields.check(version: PairingTranscript.version)
        self.init(
            session: try fields.whole("session", in: PairingCode.sessions),
            attempt: try fields.read("attempt", "32 hexadecimal digits", Nonce.init),
            server: ServerIdentity(
                id: try fields.read("server_id", "a UUID in lower case", ServerID.init),
                publicKey: try fields.read("server_pubkey", "a P-256 public key", AgreementPublicKey.init)),
            ephemeral: try fields.read("server_ephemeral", "a P-256 public key", AgreementPublicKey.init),
            share: try fields.read("server_share", "the x coordinate of a point of P-256", CodeShare.init),
            nonce: try fields.read("server_nonce", "32 hexadecimal digits", Nonce.init),
            certificate: try fields.optional("tls_sha256", "a SHA-256 in hexadecimal", CertificateFingerprint.init),
            createdAt: try fields.read("created_at", "an ISO 8601 time", Timestamp.init),
            expiresAt: try fields.read("expires_at", "an ISO 8601 time", Timestamp.init))
    }

    package var json: JSONValue {
        [
            "version": .string(PairingTranscript.version), "session": .number(Double(session)),
            "attempt": .string(attempt.description), "server_id": .string(server.id.description),
            "server_pubkey": .string(server.publicKey.description),
            "server_ephemeral": .string(ephemeral.description), "server_share": .string(share.description),
            "server_nonce": .string(nonce.description),
            "tls_sha256": certificate.map { .string($0.hex) } ?? .null,
            "created_at": .string(createdAt.description), "expires_at": .string(expiresAt.description),
        ]
    }
}

/// The phone's second message: its hello, and proofs that it knows the code and has the device key.
struct PairingClaim {
    let attempt: Nonce
    let hello: PairingHello
    /// The phone's share of the agreement that takes the code.
    let share: CodeShare
    let codeProof: [UInt8]
    let keyProof: DeviceSignature

    init(attempt: Nonce, hello: PairingHello, share: CodeShare, codeProof: [UInt8], keyProof: DeviceSignature) {
        self.attempt = attempt
        self.hello = hello
        self.share = share
        self.codeProof = codeProof
        self.keyProof = keyProof
    }

    init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(
            json, "the device's claim", exactly: ["attempt", "hello", "device_share", "code_proof", "key_proof"])
        attempt = try fields.read("attempt", "32 hexadecimal digits", Nonce.init)
        hello = try PairingHello(json: fields.object("hello"))
        share = try fields.read("device_share", "the x coordinate of a point of P-256", CodeShare.init)
        codeProof = try fields.bytes("code_proof", count: 32)
        keyProof = try fields.read("key_proof", "a signature of 64 bytes in base64url", DeviceSignature.init)
    }

    var json: JSONValue {
        [
            "attempt": .string(attempt.description), "hello": hello.json, "device_share": .string(share.description),
            "code_proof": .string(Base64URL.encode(codeProof)), "key_proof": .string(keyProof.description),
        ]
    }
}

/// The broker's answer to the claim: a proof that it knows the code and has its own key.
struct PairingConfirmation {
    let brokerProof: [UInt8]

    init(brokerProof: [UInt8]) {
        self.brokerProof = brokerProof
    }

    init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(json, "the broker's answer", exactly: ["broker_proof", "status"])
        brokerProof = try fields.bytes("broker_proof", count: 32)
    }

    var json: JSONValue { ["broker_proof": .string(Base64URL.encode(brokerProof)), "status": "CLAIMED"] }
}

/// The phone's last message: it asks whether the person at the broker has said yes.
struct PairingFinish {
    let attempt: Nonce
    let proof: [UInt8]

    init(attempt: Nonce, proof: [UInt8]) {
        self.attempt = attempt
        self.proof = proof
    }

    init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(json, "the device's last message", exactly: ["attempt", "proof"])
        attempt = try fields.read("attempt", "32 hexadecimal digits", Nonce.init)
        proof = try fields.bytes("proof", count: 32)
    }

    var json: JSONValue {
        ["attempt": .string(attempt.description), "proof": .string(Base64URL.encode(proof))]
    }
}

/// The broker's answer to the phone's last message.
package enum PairingOutcome: Sendable, Hashable {
    /// The person at the broker has not answered yet.
    case claimed
    /// The broker knows the device, and runs requests of these banks.
    case done(DeviceID, bankIDs: [String])

    /// Returns nil for any other answer.
    package init?(json: JSONValue) {
        switch json["status"] {
        case "CLAIMED": self = .claimed
        case "DONE":
            guard let device = json["device_id"]?.stringValue.flatMap({ DeviceID($0) }) else { return nil }
            self = .done(device, bankIDs: json["bank_ids"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        default: return nil
        }
    }

    package var json: JSONValue {
        switch self {
        case .claimed: ["status": "CLAIMED"]
        case .done(let device, let banks):
            [
                "status": "DONE", "device_id": .string(device.description),
                "bank_ids": .array(banks.map(JSONValue.string)),
            ]
        }
    }
}
