import Crypto
import Encodings
import Foundation
import Secrets

/// The key with which a broker signs receipts. It signs nothing else.
package struct ReceiptKey: Sendable {
    /// The 32 bytes of the private scalar, for the broker's sealed database.
    package let secret: Secret
    package let publicKey: ReceiptPublicKey

    /// Makes a random key.
    package init() {
        let key = P256.Signing.PrivateKey()
        var bytes = Array(key.rawRepresentation)
        defer { bytes.wipe() }
        secret = Secret(bytes: bytes)
        publicKey = ReceiptPublicKey(key.publicKey)
    }

    /// - Throws: ``TrustError/Code/malformed`` unless the bytes are a private key.
    package init(secret: Secret) throws(TrustError) {
        guard let key = Self.key(secret) else { throw TrustError(.malformed, "the receipt key is not a P-256 key") }
        self.secret = secret
        publicKey = ReceiptPublicKey(key.publicKey)
    }

    private static func key(_ secret: Secret) -> P256.Signing.PrivateKey? {
        secret.withUnsafeBytes { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
    }

    /// Returns the ECDSA signature with SHA-256, in DER.
    func signature(of bytes: [UInt8]) throws -> [UInt8] {
        guard let key = Self.key(secret) else { throw TrustError(.wrongKey, "the receipt key is not available") }
        return Array(try key.signature(for: bytes).derRepresentation)
    }
}

/// The public half of a ``ReceiptKey``.
package struct ReceiptPublicKey: Sendable, Hashable {
    private let key: P256.Signing.PublicKey
    /// The key as PEM (SubjectPublicKeyInfo, RFC 7468).
    package let pem: String
    /// The SHA-256 of the key's DER, 64 lower-case hexadecimal digits: the name under which receipts are signed.
    package let id: String

    init(_ key: P256.Signing.PublicKey) {
        self.key = key
        pem = key.pemRepresentation
        id = Base16.encode(SHA256.hash(data: key.derRepresentation))
    }

    /// Returns nil unless the text is a P-256 key in the spelling of ``pem``.
    init?(pem: String) {
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else { return nil }
        self.init(key)
        guard self.pem == pem else { return nil }
    }

    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: bytes)
    }

    package static func == (left: Self, right: Self) -> Bool { left.pem == right.pem }
    package func hash(into hasher: inout Hasher) { hasher.combine(pem) }
}
