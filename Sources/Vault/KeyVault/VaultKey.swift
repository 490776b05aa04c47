import Crypto
import Foundation
import Secrets

/// The random master key of a vault. It never leaves the process: key slots store it wrapped.
///
/// Nothing is encrypted with the key itself. Each use derives its own subkey (HKDF-SHA256, RFC 5869), so that slot
/// wrapping, entries and the file's authentication cannot be confused with one another.
package final class VaultKey: Sendable {
    /// The number of bytes of a vault key.
    static let size = 32

    private let secret: Secret

    init() {
        secret = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
    }

    init(bytes: Secret) throws(VaultError) {
        guard bytes.count == Self.size else { throw VaultError(.damaged, "a key slot holds a key of the wrong size") }
        secret = bytes
    }

    /// Derives the subkey for one purpose, named by `info`. Throws `locked` once the key has been wiped.
    package func subkey(for info: String) throws(VaultError) -> SymmetricKey {
        let key = secret.withUnsafeBytes { bytes in
            bytes.count == Self.size
                ? HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: bytes), info: Data(info.utf8), outputByteCount: Self.size)
                : nil
        }
        guard let key else { throw VaultError(.locked, "the vault has been closed; open it again") }
        return key
    }

    /// Overwrites the key; every later use throws `locked`.
    package func wipe() {
        secret.wipe()
    }

    /// Wraps the key for a slot.
    func sealed(under wrappingKey: SymmetricKey, binding metadata: [UInt8]) throws -> [UInt8] {
        try secret.withUnsafeBytes { bytes in
            guard bytes.count == Self.size else {
                throw VaultError(.locked, "the vault has been closed; open it again")
            }
            return try SealedBytes.seal(bytes, under: wrappingKey, binding: metadata)
        }
    }
}
