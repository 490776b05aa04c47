import Crypto
import Foundation
import Secrets

/// The random key of a vault of tokens: 32 bytes, made once, never made anew while there is a vault under it.
///
/// It lies in a ``SecretStore`` under ``identifier``: Keychain on Apple systems, the phone's encrypted vault here.
public struct TokenVaultKey: Sendable {
    public static let identifier = "vaultKey"
    /// The number of bytes of a key.
    public static let size = 32

    let key: SymmetricKey

    public init() {
        key = SymmetricKey(size: .bits256)
    }

    /// - Throws: `damaged` unless there are 32 bytes.
    public init(bytes: Secret) throws(SecondFactorError) {
        guard bytes.count == Self.size else {
            throw SecondFactorError(.damaged, "a key for tokens has \(Self.size) bytes, not \(bytes.count)")
        }
        key = bytes.withUnsafeBytes { SymmetricKey(data: $0) }
    }

    public var bytes: Secret { key.withUnsafeBytes { Secret(bytes: $0) } }

    /// - Returns: nil when the store has none.
    public static func load(from store: some SecretStore) async throws -> TokenVaultKey? {
        guard let bytes = try await store.secret(named: identifier) else { return nil }
        return try TokenVaultKey(bytes: bytes)
    }

    public func save(to store: some SecretStore) async throws {
        try await store.store(bytes, named: Self.identifier)
    }
}
