import CryptoExtras
import Foundation
import Secrets

/// The RSA key that an enclave makes for one call to AWS KMS, so that only it can read the answer.
package struct RSARecipientKey: RecipientKey {
    /// The public key for the evidence: SubjectPublicKeyInfo (DER).
    package let publicKey: [UInt8]
    private let privateKey: Secret

    package init() throws {
        self.init(try _RSA.Encryption.PrivateKey(keySize: .bits2048))
    }

    /// - Parameter pem: PKCS #8 or PKCS #1.
    init(pem: String) throws {
        self.init(try _RSA.Encryption.PrivateKey(pemRepresentation: pem))
    }

    private init(_ key: _RSA.Encryption.PrivateKey) {
        publicKey = Array(key.publicKey.derRepresentation)
        var bytes = key.derRepresentation
        defer { bytes.resetBytes(in: 0..<bytes.count) }
        privateKey = Secret(bytes: bytes)
    }

    /// Opens the CMS message of AWS KMS. The nonce is in the evidence, and not in the message.
    ///
    /// - Throws: ``AmazonKeysError``.
    package func open(_ answer: [UInt8], nonce _: [UInt8]) throws -> Secret {
        let message = try EnvelopedData(answer)
        // One message for every cause: what fails here must not tell more about the key.
        let key = try privateKey.withUnsafeBytes { try _RSA.Encryption.PrivateKey(derRepresentation: Data($0)) }
        guard var contentKey = try? key.decrypt(message.encryptedKey, padding: .PKCS1_OAEP_SHA256),
            contentKey.count == 32
        else { throw Self.notForThisKey }
        defer { contentKey.resetBytes(in: 0..<contentKey.count) }
        guard let vector = try? AES._CBC.IV(ivBytes: message.initializationVector),
            var plain = try? AES._CBC.decrypt(
                message.encryptedContent, using: SymmetricKey(data: contentKey), iv: vector)
        else { throw Self.notForThisKey }
        defer { plain.resetBytes(in: 0..<plain.count) }
        return Secret(bytes: plain)
    }

    private static let notForThisKey = AmazonKeysError(
        "the data key for the enclave cannot be opened: it was changed, or is for another call")
}
