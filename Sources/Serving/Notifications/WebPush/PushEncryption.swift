import Crypto
import Foundation

/// The encryption of a message for one browser (RFC 8291), in one record of `aes128gcm` (RFC 8188).
enum PushEncryption {
    /// The record size that the header names, in bytes.
    private static let recordSize: UInt32 = 4096
    /// The longest message, in bytes: what is left of a record besides the delimiter and the tag.
    static let longest = Int(recordSize) - 17

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - length: the bytes to which the message is padded, so that its length says nothing.
    ///   - key: used for this message only.
    ///   - salt: 16 random bytes.
    static func encrypt(
        _ message: [UInt8], paddedTo length: Int = 0, for subscription: PushSubscription,
        key: P256.KeyAgreement.PrivateKey = .init(), salt: [UInt8] = Self.salt()
    ) throws -> [UInt8] {
        precondition(max(message.count, length) <= longest, "a message fits into one record")
        let browser = try P256.KeyAgreement.PublicKey(x963Representation: subscription.publicKey)
        let own = Array(key.publicKey.x963Representation)
        let shared = try key.sharedSecretFromKeyAgreement(with: browser)
        // RFC 8291, section 3.4: the two public keys are bound into the key.
        let input = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: subscription.authentication,
            sharedInfo: Array("WebPush: info\0".utf8) + subscription.publicKey + own, outputByteCount: 32)
        let contentKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), outputByteCount: 16)
        let nonce = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
        // The delimiter 2 marks the last record; zeros pad it (RFC 8188, section 2).
        let record = message + [2] + [UInt8](repeating: 0, count: max(0, length - message.count))
        let sealed = try AES.GCM.seal(
            record, using: contentKey, nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }))
        let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
        return salt + size + [UInt8(own.count)] + own + sealed.ciphertext + sealed.tag
    }

    private static func salt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
