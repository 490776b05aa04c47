import Encodings
import Foundation
import KeyVault
import Secrets

/// Writes the tokens as a file that leaves the vault.
package enum TokenExport {
    private static let purpose = "countersign totp export"
    private static let keyPurpose = "countersign totp key"

    /// Returns a file that only the passphrase opens.
    ///
    /// - Throws: `weakPassphrase` of ``Secrets/VaultError`` if the passphrase has fewer than twelve characters.
    package static func encrypted(_ vault: TokenVault, passphrase: Secret) throws -> [UInt8] {
        try encrypted(vault, passphrase: passphrase, scrypt: .standard)
    }

    package static func encrypted(
        _ vault: TokenVault, passphrase: Secret, scrypt: ScryptParameters
    ) throws -> [UInt8] {
        var plaintext = try TokenVaultJSON.encoded(vault)
        defer { plaintext.wipe() }
        return try PassphraseBox.seal(Secret(bytes: plaintext), as: purpose, passphrase: passphrase, scrypt: scrypt)
    }

    /// Returns one `otpauth://` URI per line, including the secrets. Anyone who reads it has every second factor.
    package static func plain(_ vault: TokenVault) -> Secret {
        Secret(vault.tokens.map { $0.uri.revealed() + "\n" }.joined())
    }

    static func isEncrypted(_ json: JSONValue) -> Bool { PassphraseBox.isBox(json, of: purpose) }

    static func opened(_ json: JSONValue, at now: Date, passphrase: Secret) throws -> TokenImport {
        let plaintext = try PassphraseBox.open(json, of: purpose, passphrase: passphrase)
        let vault = try plaintext.withUnsafeBytes { try TokenVaultJSON.decoded($0) }
        var result = TokenImport()
        for token in vault.tokens {
            result.add {
                token
            } name: {
                token.issuer
            }
        }
        return result
    }

    // MARK: The key, for another device

    /// Returns the vault's key in a file that only the passphrase opens. Another device needs it to read the synced
    /// vault.
    package static func key(_ key: TokenVaultKey, passphrase: Secret) throws -> [UInt8] {
        try Self.key(key, passphrase: passphrase, scrypt: .standard)
    }

    package static func key(_ key: TokenVaultKey, passphrase: Secret, scrypt: ScryptParameters) throws -> [UInt8] {
        try PassphraseBox.seal(key.bytes, as: keyPurpose, passphrase: passphrase, scrypt: scrypt)
    }

    /// Reads the vault's key from a file that ``key(_:passphrase:)`` made.
    ///
    /// - Throws: ``SecondFactorError`` or ``Secrets/VaultError`` if the file is not such a file or was changed, or if
    ///   the passphrase is wrong.
    package static func key(from file: some Sequence<UInt8>, passphrase: Secret) throws -> TokenVaultKey {
        let json: JSONValue
        do {
            json = try JSONReader.read(file)
        } catch {
            throw SecondFactorError(
                .notAnImport, "the file is not a key; make one with: countersign totp sync invite FILE")
        }
        return try TokenVaultKey(bytes: PassphraseBox.open(json, of: keyPurpose, passphrase: passphrase))
    }
}
