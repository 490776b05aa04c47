import Clocks
import Encodings
import Foundation
import JSON
import Secrets
import Signer

/// What the phone says about itself. It commits to it before it hears the broker, and shows it after.
public struct PairingHello: Sendable, Hashable {
    /// The longest name, in characters.
    public static let longestName = 64

    public let deviceID: DeviceID
    public let publicKey: DevicePublicKey
    /// As the person calls the device: 1 to 64 characters, none of them invisible.
    public let name: String
    /// For this pairing alone.
    public let ephemeral: AgreementPublicKey
    public let nonce: Nonce

    /// - Throws: ``TrustError/Code/malformed`` for a name that cannot be shown.
    public init(
        deviceID: DeviceID, publicKey: DevicePublicKey, name: String, ephemeral: AgreementPublicKey, nonce: Nonce
    ) throws(TrustError) {
        guard let name = DeviceName.checked(name) else {
            throw TrustError(.malformed, "a device’s name has 1 to \(Self.longestName) characters that can be seen")
        }
        self.deviceID = deviceID
        self.publicKey = publicKey
        self.name = name
        self.ephemeral = ephemeral
        self.nonce = nonce
    }

    public init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(
            json, "the device’s hello",
            exactly: ["device_id", "device_pubkey", "device_name", "device_ephemeral", "device_nonce"])
        try self.init(
            deviceID: try fields.read("device_id", "UUID in lower case", DeviceID.init),
            publicKey: try fields.read("device_pubkey", "P-256 public key", DevicePublicKey.init),
            name: try fields.read("device_name", "name of 1 to 64 characters that can be seen", DeviceName.checked),
            ephemeral: try fields.read("device_ephemeral", "P-256 public key", AgreementPublicKey.init),
            nonce: try fields.read("device_nonce", "32 hexadecimal digits", Nonce.init))
    }

    public var json: JSONValue {
        [
            "device_id": .string(deviceID.description), "device_pubkey": .string(publicKey.description),
            "device_name": .string(name), "device_ephemeral": .string(ephemeral.description),
            "device_nonce": .string(nonce.description),
        ]
    }
}

/// A name that reads as what it is.
public enum DeviceName {
    /// The name, or nil when it is empty, too long, padded, or has a character that cannot be seen or that turns the
    /// direction of reading.
    public static func checked(_ text: String) -> String? {
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

/// What the broker answers: who it is, and its share of this one attempt.
public struct PairingOffer: Sendable, Hashable {
    public let session: Int
    /// Names the attempt: several phones may try at once, and one wins.
    public let attempt: Nonce
    public let server: ServerIdentity
    public let ephemeral: AgreementPublicKey
    public let nonce: Nonce
    /// Nil where the broker itself does no TLS.
    public let certificate: CertificateFingerprint?
    public let createdAt: Timestamp
    public let expiresAt: Timestamp

    init(
        session: Int, attempt: Nonce = Nonce(), server: ServerIdentity, ephemeral: AgreementPublicKey,
        nonce: Nonce = Nonce(), certificate: CertificateFingerprint?, createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.session = session
        self.attempt = attempt
        self.server = server
        self.ephemeral = ephemeral
        self.nonce = nonce
        self.certificate = certificate
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    public init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(
            json, "the broker’s offer",
            exactly: [
                "version", "session", "attempt", "server_id", "server_pubkey", "server_ephemeral", "server_nonce",
                "tls_sha256", "created_at", "expires_at",
            ])
        try fields.check(version: PairingPayload.version)
        self.init(
            session: try fields.whole("session", in: PairingCode.sessions),
            attempt: try fields.read("attempt", "32 hexadecimal digits", Nonce.init),
            server: ServerIdentity(
                id: try fields.read("server_id", "UUID in lower case", ServerID.init),
                publicKey: try fields.read("server_pubkey", "P-256 public key", AgreementPublicKey.init)),
            ephemeral: try fields.read("server_ephemeral", "P-256 public key", AgreementPublicKey.init),
            nonce: try fields.read("server_nonce", "32 hexadecimal digits", Nonce.init),
            certificate: try fields.optional("tls_sha256", "SHA-256 in hexadecimal", CertificateFingerprint.init),
            createdAt: try fields.read("created_at", "ISO 8601 time", Timestamp.init),
            expiresAt: try fields.read("expires_at", "ISO 8601 time", Timestamp.init))
    }

    public var json: JSONValue {
        [
            "version": .string(PairingPayload.version), "session": .number(Double(session)),
            "attempt": .string(attempt.description), "server_id": .string(server.id.description),
            "server_pubkey": .string(server.publicKey.description),
            "server_ephemeral": .string(ephemeral.description), "server_nonce": .string(nonce.description),
            "tls_sha256": certificate.map { .string($0.hex) } ?? .null,
            "created_at": .string(createdAt.description), "expires_at": .string(expiresAt.description),
        ]
    }
}

/// The phone's second message: what it committed to, that it knows the code, and that the device key is its own.
struct PairingClaim {
    let attempt: Nonce
    let hello: PairingHello
    let codeProof: [UInt8]
    let keyProof: DeviceSignature

    init(attempt: Nonce, hello: PairingHello, codeProof: [UInt8], keyProof: DeviceSignature) {
        self.attempt = attempt
        self.hello = hello
        self.codeProof = codeProof
        self.keyProof = keyProof
    }

    init(json: JSONValue) throws(TrustError) {
        let fields = try TrustFields(
            json, "the device’s claim", exactly: ["attempt", "hello", "code_proof", "key_proof"])
        attempt = try fields.read("attempt", "32 hexadecimal digits", Nonce.init)
        hello = try PairingHello(json: fields.object("hello"))
        codeProof = try fields.bytes("code_proof", count: 32)
        keyProof = try fields.read("key_proof", "signature of 64 bytes in base64url", DeviceSignature.init)
    }

    var json: JSONValue {
        [
            "attempt": .string(attempt.description), "hello": hello.json,
            "code_proof": .string(Base64URL.encode(codeProof)), "key_proof": .string(keyProof.description),
        ]
    }
}
