import Crypto
import Encodings
import Foundation
import Secrets

/// A key of the key service, to which data keys are encrypted: HPKE (RFC 9180) with X25519, HKDF-SHA256 and
/// ChaCha20-Poly1305. The public key is enough to seal; only the key service can open.
package struct MasterKey: Sendable {
    package let reference: KeyReference
    let privateKey: Secret

    /// Makes a new key.
    static func make(_ reference: KeyReference) -> MasterKey {
        var bytes = Curve25519.KeyAgreement.PrivateKey().rawRepresentation
        defer { bytes.resetBytes(in: 0..<bytes.count) }
        return MasterKey(reference: reference, privateKey: Secret(bytes: bytes))
    }

    package func publicKey() throws -> MasterPublicKey {
        MasterPublicKey(reference: reference, bytes: Array(try agreementKey().publicKey.rawRepresentation))
    }

    /// Opens a data key.
    ///
    /// - Throws: ``SealedTokenError/wrongKeyOrBinding``.
    func unwrap(_ wrapped: [UInt8], _ binding: TokenBinding) throws(SealedTokenError) -> Secret {
        do {
            return try HPKEMessage(wrapped).open(with: agreementKey(), info: MasterPublicKey.info, binding.bytes)
        } catch {
            throw .wrongKeyOrBinding
        }
    }

    private func agreementKey() throws -> Curve25519.KeyAgreement.PrivateKey {
        try privateKey.withUnsafeBytes { try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
    }
}

/// The public part of a ``MasterKey``, which the API has.
package struct MasterPublicKey: Sendable, Hashable {
    package let reference: KeyReference
    package let bytes: [UInt8]

    static let info = Array("countersign data key under a master key".utf8)

    package init(reference: KeyReference, bytes: [UInt8]) {
        self.reference = reference
        self.bytes = bytes
    }

    /// Encrypts a data key to the key service.
    package func wrap(_ dataKey: Secret, _ binding: TokenBinding) throws -> [UInt8] {
        try HPKEMessage(dataKey, to: bytes, info: Self.info, binding.bytes).encoded
    }

    /// Makes a data key, and encrypts it to the key service.
    package func makeDataKey(_ binding: TokenBinding) throws -> GeneratedDataKey {
        let dataKey = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
        return GeneratedDataKey(dataKey: dataKey, wrapped: try wrap(dataKey, binding))
    }
}

/// One message by HPKE in base mode: the encapsulated key of 32 bytes, then the ciphertext.
struct HPKEMessage {
    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

    let encoded: [UInt8]

    init(_ encoded: [UInt8]) {
        self.encoded = encoded
    }

    init(_ secret: Secret, to publicKey: [UInt8], info: [UInt8], _ associatedData: [UInt8]) throws {
        let recipient = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey)
        var sender = try HPKE.Sender(recipientKey: recipient, ciphersuite: Self.suite, info: Data(info))
        var plain = secret.withUnsafeBytes { Data($0) }
        defer { plain.resetBytes(in: 0..<plain.count) }
        encoded = Array(sender.encapsulatedKey) + (try sender.seal(plain, authenticating: associatedData))
    }

    func open(
        with key: Curve25519.KeyAgreement.PrivateKey, info: [UInt8], _ associatedData: [UInt8]
    ) throws -> Secret {
        var recipient = try HPKE.Recipient(
            privateKey: key, ciphersuite: Self.suite, info: Data(info), encapsulatedKey: Data(encoded.prefix(32)))
        var plain = try recipient.open(Data(encoded.dropFirst(32)), authenticating: associatedData)
        defer { plain.resetBytes(in: 0..<plain.count) }
        return Secret(bytes: plain)
    }
}
