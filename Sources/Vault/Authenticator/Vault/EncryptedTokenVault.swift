import Crypto
import Foundation

/// A vault as it is stored and synced: AES-256-GCM, with the nonce before the ciphertext and the tag after it.
package struct EncryptedTokenVault: Sendable, Hashable {
    /// The only algorithm of version 1.
    package static let algorithm = "AES-GCM-256"

    /// `AES.GCM.SealedBox.combined`.
    package let ciphertext: Data
    package let encryptionAlgorithm: String

    /// - Throws: `damaged` if the data is too short for a nonce and a tag, `tooLarge` if it exceeds the maximum size.
    package init(ciphertext: Data) throws(SecondFactorError) {
        guard ciphertext.count >= 28 else {
            throw SecondFactorError(.damaged, "the encrypted vault is cut short; restore it from a backup")
        }
        guard ciphertext.count <= TokenVaultJSON.largest + 28 else {
            throw SecondFactorError(.tooLarge, "the encrypted vault has \(ciphertext.count) bytes, which is too many")
        }
        self.ciphertext = ciphertext
        encryptionAlgorithm = Self.algorithm
    }

    package init(_ vault: TokenVault, under key: TokenVaultKey) throws {
        var plaintext = try TokenVaultJSON.encoded(vault)
        defer { plaintext.wipe() }
        guard let combined = try AES.GCM.seal(plaintext, using: key.key).combined else {
            throw CryptoKitError.incorrectParameterSize
        }
        try self.init(ciphertext: combined)
    }

    /// Decrypts the vault.
    ///
    /// - Throws: `damaged` if any bit was changed, or if the vault was encrypted under another key.
    package func opened(with key: TokenVaultKey) throws -> TokenVault {
        var plaintext: Data
        do {
            plaintext = try AES.GCM.open(AES.GCM.SealedBox(combined: ciphertext), using: key.key)
        } catch {
            throw SecondFactorError(
                .damaged, "the encrypted vault was changed, or is encrypted under another key; it was left unchanged")
        }
        defer { plaintext.resetBytes(in: 0..<plaintext.count) }
        return try TokenVaultJSON.decoded(plaintext)
    }
}
