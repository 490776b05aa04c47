import Crypto
import Encodings
import Foundation
import Secrets

/// The key of files that leave this machine together, such as a backup. A passphrase opens it.
///
/// Each file has a subkey of its own (HKDF-SHA256, RFC 5869), made of the file's name in the set, so that no file can take
/// another's place. A set has a new key, so that a file of another set cannot either.
package struct FileSetKey: Sendable {
    private static let size = 32
    private let bytes: Secret

    /// Makes a random key.
    package init() {
        bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
    }

    /// Opens a key that ``sealed(as:passphrase:scrypt:)`` has sealed.
    ///
    /// - Throws: ``VaultError``: `damaged`, `unsupported` or `wrongPassphrase`.
    package init(_ sealed: [UInt8], as purpose: String, passphrase: Secret) throws {
        let json: JSONValue
        do {
            json = try JSONReader.read(sealed)
        } catch {
            throw VaultError(.damaged, "this is not a \(purpose)")
        }
        bytes = try PassphraseBox.open(json, of: purpose, passphrase: passphrase)
        guard bytes.count == Self.size else { throw VaultError(.damaged, "the \(purpose) has another length") }
    }

    /// - Throws: `weakPassphrase` for a passphrase of fewer than ``Vault/shortestPassphrase`` characters.
    package func sealed(
        as purpose: String, passphrase: Secret, scrypt: ScryptParameters = .standard
    ) throws -> [UInt8] {
        try PassphraseBox.seal(bytes, as: purpose, passphrase: passphrase, scrypt: scrypt)
    }

    func key(ofFile name: String) -> SymmetricKey {
        bytes.withUnsafeBytes {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0), info: Data("countersign sealed file 1 \(name)".utf8),
                outputByteCount: Self.size)
        }
    }
}
