import Crypto
import Foundation
import Secrets

/// The random key of a vault of tokens: 32 bytes, made once and kept as long as a vault is encrypted under it.
///
/// A ``SecretStore``, such as the phone's encrypted vault, keeps it under ``identifier``.
package struct TokenVaultKey: Sendable {
    package static let identifier = "vaultKey"
    /// The size of a key in bytes.
    package static let size = 32

    let key: SymmetricKey

    package init() {
        key = SymmetricKey(size: .bits256)
    }

    /// - Throws: `damaged` if the secret does not have 32 bytes.
    package init(bytes: Secret) throws(SecondFactorError) {
        guard bytes.count == Self.size else {
            throw SecondFactorError(.damaged, "a key for tokens must have \(Self.size) bytes, not \(bytes.count)")
        }
        key = bytes.withUnsafeBytes { SymmetricKey(data: $0) }
    }

    package var bytes: Secret { key.withUnsafeBytes { Secret(bytes: $0) } }

    /// Reads the key from a store.
    ///
    /// - Returns: nil if the store has no key.
    package static func load(from store: some SecretStore) async throws -> TokenVaultKey? {
        guard let bytes = try await store.secret(named: identifier) else { return nil }
        return try TokenVaultKey(bytes: bytes)
    }

    package func save(to store: some SecretStore) async throws {
        try await store.store(bytes, named: Self.identifier)
    }
}
