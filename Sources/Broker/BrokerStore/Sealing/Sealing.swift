import Encodings
import Foundation
import KeyVault
import Secrets
import Signer

import struct Crypto.HKDF
import struct Crypto.SHA256
import struct Crypto.SymmetricKey

/// Encrypts the secrets in the broker's database with AES-256-GCM. The key is stored nowhere. Each value is bound to its
/// purpose, so that it cannot take another value's place.
///
/// The key is HKDF-SHA256 (RFC 5869) of `BROKER_SEALING_SECRET`, or of the broker's own ``SealingFile``.
public struct Sealing: Sendable {
    private let key: SymmetricKey

    package init(_ secret: Secret) {
        key = secret.withUnsafeBytes { Self.key(from: $0) }
    }

    package init(_ secret: SharedSecret) {
        key = secret.withUnsafeBytes { Self.key(from: $0) }
    }

    private static func key(from secret: UnsafeRawBufferPointer) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Data("countersign broker sealing 1".utf8),
            outputByteCount: 32)
    }

    /// Derives a secret from the sealing secret. It is stored nowhere.
    package func derivedSecret(for purpose: String) -> Secret {
        let bytes = HKDF<SHA256>.expand(
            pseudoRandomKey: key, info: Data("countersign broker \(purpose) 1".utf8), outputByteCount: 32)
        return Secret(bytes.withUnsafeBytes { Base64URL.encode($0) })
    }

    /// Encrypts a secret.
    ///
    /// - Parameter purpose: the use of the secret, such as `identity/agreement`.
    /// - Returns: nonce, ciphertext and tag.
    package func seal(_ secret: Secret, as purpose: String) throws -> Data {
        Data(try secret.withUnsafeBytes { try SealedBytes.seal($0, under: key, binding: Array(purpose.utf8)) })
    }

    /// Decrypts a secret.
    ///
    /// - Throws: ``StoreError`` when it was sealed with another secret, or for another purpose.
    package func open(_ sealed: Data, as purpose: String) throws(StoreError) -> Secret {
        do {
            return try SealedBytes.open(Array(sealed), under: key, binding: Array(purpose.utf8))
        } catch {
            throw StoreError(
                message: "the secrets in the broker's database were sealed with another secret; set "
                    + "BROKER_SEALING_SECRET to the secret that sealed them; if it was never set, put the file "
                    + "sealing.secret back beside the database, or give BROKER_PHONE_SHARED_SECRET the value it had")
        }
    }
}
