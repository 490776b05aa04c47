import Crypto
import Encodings
import Foundation
import Secrets

/// A P-256 public key for agreeing on secrets (ECDH, SP 800-56A), written as base64url of the 65 bytes of its
/// uncompressed point (SEC 1, section 2.3.3).
package struct AgreementPublicKey: Sendable, Hashable, LosslessStringConvertible {
    package let description: String
    let key: P256.KeyAgreement.PublicKey

    init(_ key: P256.KeyAgreement.PublicKey) {
        self.key = key
        description = Base64URL.encode(key.x963Representation)
    }

    /// Returns nil unless the text is a point on the curve in that one spelling.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 65,
            let key = try? P256.KeyAgreement.PublicKey(x963Representation: bytes)
        else { return nil }
        self.init(key)
    }

    package static func == (left: Self, right: Self) -> Bool { left.description == right.description }
    package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// The private half of an agreement key. Its bytes are a ``Secret``; the key object exists only while it is used.
package struct AgreementPrivateKey: Sendable {
    package let publicKey: AgreementPublicKey
    /// The 32 bytes of the private scalar, to be stored sealed.
    package let secret: Secret

    package init() {
        let key = P256.KeyAgreement.PrivateKey()
        publicKey = AgreementPublicKey(key.publicKey)
        var bytes = Array(key.rawRepresentation)
        defer { bytes.wipe() }
        secret = Secret(bytes: bytes)
    }

    /// - Throws: ``TrustError/Code/malformed`` unless the bytes are a private key.
    package init(secret: Secret) throws(TrustError) {
        guard let key = Self.key(secret) else { throw TrustError(.malformed, "the private key is not a P-256 key") }
        publicKey = AgreementPublicKey(key.publicKey)
        self.secret = secret
    }

    private static func key(_ secret: Secret) -> P256.KeyAgreement.PrivateKey? {
        secret.withUnsafeBytes { try? P256.KeyAgreement.PrivateKey(rawRepresentation: $0) }
    }

    /// Returns the 32 bytes of the shared point's x coordinate.
    func agreement(with other: AgreementPublicKey) throws(TrustError) -> SharedSecretBytes {
        guard let key = Self.key(secret), let shared = try? key.sharedSecretFromKeyAgreement(with: other.key) else {
            throw TrustError(.malformed, "the two keys do not agree on a secret")
        }
        return SharedSecretBytes(shared.withUnsafeBytes { Secret(bytes: Array($0)) })
    }
}

/// The output of a key agreement. It becomes a key through HKDF, together with its purpose.
struct SharedSecretBytes {
    let secret: Secret

    init(_ secret: Secret) { self.secret = secret }
}
