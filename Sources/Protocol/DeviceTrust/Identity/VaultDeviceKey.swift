import Crypto
import Secrets

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

/// The vault as the place of device keys. What it keeps of a key is the key itself.
package struct VaultDeviceKeyMaker: DeviceKeyMaker {
    package init() {}

    package func make() -> MadeDeviceKey {
        let key = VaultDeviceKey()
        return MadeDeviceKey(key, reference: key.secret)
    }

    package func key(_ reference: Secret) throws -> any DeviceKey { try VaultDeviceKey(secret: reference) }
}
