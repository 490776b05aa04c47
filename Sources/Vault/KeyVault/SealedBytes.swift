import Crypto
import Foundation
import Secrets

/// AES-256-GCM with a random nonce, in the form nonce, ciphertext, tag.
package enum SealedBytes {
    package static func seal(
        _ plaintext: some DataProtocol, under key: SymmetricKey, binding metadata: [UInt8]
    ) throws -> [UInt8] {
        let box = try AES.GCM.seal(plaintext, using: key, authenticating: metadata)
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Array(combined)
    }

    /// Decrypts, and throws if the tag does not match.
    package static func open(_ sealed: [UInt8], under key: SymmetricKey, binding metadata: [UInt8]) throws -> Secret {
        var plaintext = try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: metadata)
        defer { plaintext.resetBytes(in: 0..<plaintext.count) }
        return Secret(bytes: plaintext)
    }
}
