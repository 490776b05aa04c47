import Crypto
import Encodings
import Foundation
import Secrets

/// The key that a device signs its approvals with. It never leaves the device.
///
/// On Apple systems the Secure Enclave keeps it and Face ID releases it. Elsewhere it is in the vault, which only the
/// user verification of the approval opens (``VaultDeviceKey``).
package protocol DeviceKey: Sendable {
    var publicKey: DevicePublicKey { get }
    /// Signs `payload` with ECDSA on P-256 and SHA-256.
    func signature(of payload: [UInt8]) async throws -> DeviceSignature
}

/// A signature in the only accepted encoding: r and s, 32 bytes each, one after the other (IEEE P1363), in base64url
/// without padding. DER is refused.
package struct DeviceSignature: Sendable, Hashable, LosslessStringConvertible {
    package static let size = 64

    package let description: String
    let bytes: [UInt8]

    /// Returns nil unless there are 64 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
        description = Base64URL.encode(bytes)
    }

    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes: bytes)
    }
}

/// A device's P-256 public key, written as base64url of the 65 bytes of its uncompressed point.
package struct DevicePublicKey: Sendable, Hashable, LosslessStringConvertible {
    package let description: String
    private let key: P256.Signing.PublicKey

    init(_ key: P256.Signing.PublicKey) {
        self.key = key
        description = Base64URL.encode(key.x963Representation)
    }

    /// Returns nil unless the text is a point on the curve in that one spelling.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 65,
            let key = try? P256.Signing.PublicKey(x963Representation: bytes)
        else { return nil }
        self.init(key)
    }

    package func isValid(_ signature: DeviceSignature, for payload: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature.bytes) else { return false }
        return key.isValidSignature(signature, for: payload)
    }

    package static func == (left: Self, right: Self) -> Bool { left.description == right.description }
    package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// A device key whose private half is a secret of the vault. It can sign only while a user verification holds the vault
/// open.
package struct VaultDeviceKey: DeviceKey {
    package let publicKey: DevicePublicKey
    /// The 32 bytes of the private scalar, for the vault.
    package let secret: Secret

    /// Makes a random key.
    package init() {
        let key = P256.Signing.PrivateKey()
        publicKey = DevicePublicKey(key.publicKey)
        var bytes = Array(key.rawRepresentation)
        defer { bytes.wipe() }
        secret = Secret(bytes: bytes)
    }

    /// - Throws: ``TrustError/Code/malformed`` unless the bytes are a private key.
    package init(secret: Secret) throws(TrustError) {
        guard let key = Self.key(secret) else { throw TrustError(.malformed, "the device key is not a P-256 key") }
        publicKey = DevicePublicKey(key.publicKey)
        self.secret = secret
    }

    private static func key(_ secret: Secret) -> P256.Signing.PrivateKey? {
        secret.withUnsafeBytes { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
    }

    /// - Throws: ``TrustError/Code/wrongKey`` once the vault has been closed and the secret wiped.
    package func signature(of payload: [UInt8]) async throws -> DeviceSignature {
        guard let key = Self.key(secret) else {
            throw TrustError(.wrongKey, "the device key is not available; approve again")
        }
        let signature = try key.signature(for: payload)
        guard let raw = DeviceSignature(bytes: signature.rawRepresentation) else {
            throw TrustError(.badSignature, "the device key made a signature of another size")
        }
        return raw
    }
}
