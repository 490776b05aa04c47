import Crypto
import Encodings
import Foundation
import Secrets

/// A file that only a passphrase opens, for exports that leave this machine: scrypt (RFC 7914), then AES-256-GCM.
///
/// The purpose and the scrypt parameters are authenticated with the content, so that a file of one kind cannot pass for
/// another.
package enum PassphraseBox {
    private static let version = 1

    /// - Parameter purpose: the value of the file's `format` field.
    /// - Throws: `weakPassphrase` for a passphrase of fewer than ``Vault/shortestPassphrase`` characters.
    package static func seal(
        _ content: Secret, as purpose: String, passphrase: Secret, scrypt: ScryptParameters = .standard
    ) throws -> [UInt8] {
        try Vault.checkStrength(of: passphrase)
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        var fields: [String: JSONValue] = [
            "format": .string(purpose), "version": .number(Double(version)), "n": .number(Double(scrypt.cost)),
            "r": .number(Double(scrypt.blockSize)), "p": .number(Double(scrypt.parallelism)),
            "salt": .string(Base64URL.encode(salt)),
        ]
        let key = try scrypt.key(from: passphrase, salt: salt)
        let sealed = try content.withUnsafeBytes {
            try SealedBytes.seal($0, under: key, binding: JSONValue.object(fields).canonicalBytes())
        }
        fields["sealed"] = .string(Base64URL.encode(sealed))
        return try JSONValue.object(fields).canonicalBytes()
    }

    /// Returns true if a file's `format` field names the given purpose.
    package static func isBox(_ json: JSONValue, of purpose: String) -> Bool {
        json["format"]?.stringValue == purpose
    }

    /// - Throws: ``VaultError``: `damaged`, `unsupported` or `wrongPassphrase`.
    package static func open(_ json: JSONValue, of purpose: String, passphrase: Secret) throws -> Secret {
        guard isBox(json, of: purpose), var fields = json.objectValue,
            let sealed = Base64URL.decode(fields.removeValue(forKey: "sealed")),
            let salt = Base64URL.decode(json["salt"]), let cost = json["n"]?.intValue,
            let blockSize = json["r"]?.intValue, let parallelism = json["p"]?.intValue
        else { throw VaultError(.damaged, "the file is not a \(purpose), or lacks a field") }
        guard json["version"]?.intValue == version else {
            throw VaultError(.unsupported, "the file was written by another version of this program")
        }
        let scrypt = ScryptParameters(cost: cost, blockSize: blockSize, parallelism: parallelism)
        guard scrypt.isAffordable else {
            throw VaultError(.unsupported, "the file asks for more memory or time than this version allows")
        }
        let key = try scrypt.key(from: passphrase, salt: salt)
        do {
            return try SealedBytes.open(sealed, under: key, binding: JSONValue.object(fields).canonicalBytes())
        } catch {
            throw VaultError(.wrongPassphrase, "the passphrase is wrong, or the file was changed")
        }
    }
}
