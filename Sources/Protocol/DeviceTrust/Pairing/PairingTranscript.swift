import Crypto
import Encodings
import Foundation
import Secrets

/// The hash of everything that both sides have said. Keys derived from it match only if both heard the same.
package struct PairingTranscript: Sendable, Hashable {
    /// The version of the messages. A code's URI and its QR code have one of their own.
    static let version = "2"

    /// SHA-256 of the canonical JSON (RFC 8785) of `{"hello", "offer", "purpose": "countersign pairing", "version"}`.
    package let hash: [UInt8]

    package init(hello: PairingHello, offer: PairingOffer) {
        hash = TrustHash.sha256([
            "hello": hello.json, "offer": offer.json, "purpose": "countersign pairing",
            "version": .string(Self.version),
        ])
    }

    /// The bytes that the device signs to prove that it has the device key.
    var keyProofPayload: [UInt8] { Array("countersign pairing key 1\0".utf8) + hash }

    var finishPayload: [UInt8] { Array("finish\0".utf8) + hash }

    /// Four words that both sides show. A man in the middle has a chance of one in 2³² to make them match.
    package var words: ConfirmationWords {
        let digest = SHA256.hash(data: Data("countersign pairing words 1\0".utf8) + hash)
        return ConfirmationWords(digest.prefix(ConfirmationWords.count))
    }
}

/// The result of a pairing. Each side derives both values; neither is ever sent.
package struct DeviceCredentials: Sendable {
    /// 43 characters; their UTF-8 bytes are the HMAC key, as with `BROKER_PHONE_SHARED_SECRET`.
    package let sharedSecret: Secret
    /// `cs1.` and 43 characters.
    package let token: Secret

    static let tokenPrefix = "cs1."

    init(sharedSecret: Secret, token: Secret) {
        self.sharedSecret = sharedSecret.base64URL(prefix: "")
        self.token = token.base64URL(prefix: Self.tokenPrefix)
    }
}

extension Secret {
    fileprivate func base64URL(prefix: String) -> Secret {
        withUnsafeBytes { Secret(prefix + Base64URL.encode($0)) }
    }
}

/// The keys of a pairing: HKDF-SHA256 (RFC 5869) over the three agreements and the code. The salt is a hash of the
/// transcript and the phone's share.
struct PairingKeys {
    let transcript: PairingTranscript
    private let material: Secret
    private let salt: [UInt8]

    /// - Parameters:
    ///   - ephemeral: the agreement of the two keys that were made for this pairing.
    ///   - identity: the agreement of the phone's ephemeral key with the broker's lasting one.
    ///   - agreed: what only a side with the same code agrees on.
    ///   - share: the phone's share of that agreement. The transcript has the broker's; the phone's may not change the
    ///     words, because the phone did not commit to it.
    init(
        ephemeral: SharedSecretBytes, identity: SharedSecretBytes, agreed: SharedSecretBytes, share: CodeShare,
        code: PairingCode, transcript: PairingTranscript
    ) {
        self.transcript = transcript
        material = Secret.joined([ephemeral.secret, identity.secret, agreed.secret, code.code])
        salt = Array(SHA256.hash(data: Data(transcript.hash) + Data(share.description.utf8)))
    }

    private func key(_ label: String) -> Secret {
        KeyDerivation.key(from: material, salt: salt, info: "countersign pairing 2 \(label)")
    }

    private func proof(_ label: String, of payload: [UInt8]) -> [UInt8] {
        KeyDerivation.authentication(of: payload, under: key(label))
    }

    var phoneProof: [UInt8] { proof("phone proof", of: transcript.hash) }
    var brokerProof: [UInt8] { proof("broker proof", of: transcript.hash) }
    var finishProof: [UInt8] { proof("phone proof", of: transcript.finishPayload) }

    var credentials: DeviceCredentials {
        DeviceCredentials(sharedSecret: key("shared secret"), token: key("device token"))
    }
}

enum KeyDerivation {
    /// 32 bytes.
    static func key(from material: Secret, salt: [UInt8], info: String) -> Secret {
        let input = material.withUnsafeBytes { SymmetricKey(data: $0) }
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Data(info.utf8), outputByteCount: 32)
        return key.withUnsafeBytes { Secret(bytes: Array($0)) }
    }

    static func authentication(of payload: [UInt8], under key: Secret) -> [UInt8] {
        let key = key.withUnsafeBytes { SymmetricKey(data: $0) }
        return Array(HMAC<SHA256>.authenticationCode(for: payload, using: key))
    }
}

extension Secret {
    static func joined(_ parts: [Secret]) -> Secret {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.map(\.count).reduce(0, +))
        defer { bytes.wipe() }
        for part in parts { part.withUnsafeBytes { bytes.append(contentsOf: $0) } }
        return Secret(bytes: bytes)
    }
}
