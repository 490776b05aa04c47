import Crypto
import Encodings
import Secrets

/// The secret of one authorization request, which proves that the one who redeems the code also asked for it (PKCE,
/// RFC 7636, method S256).
package struct ProofKey: Sendable {
    package let verifier: Secret

    /// Makes a verifier of 43 characters, from 256 random bits (section 4.1).
    package init() {
        verifier = Secret(Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }))
    }

    package init(verifier: Secret) {
        self.verifier = verifier
    }

    /// The challenge (section 4.2).
    package var challenge: String {
        Base64URL.encode(Array(SHA256.hash(data: verifier.withUnsafeBytes { Array($0) })))
    }
}
