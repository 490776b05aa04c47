import Encodings
import Foundation
import Messages
import Secrets

/// The phone's side of a rotation: a paired device gets new credentials without a code.
///
/// Both sides agree on fresh keys and mix in the secret that they share. The new credentials are never sent; the old
/// token ends when the new one is first used. `POST /phone/device/rotate` carries ``message``.
package struct PhoneRotation: Sendable {
    private let deviceID: DeviceID
    private let secret: Secret
    private let ephemeral: AgreementPrivateKey
    private let nonce: Nonce

    /// - Parameter secret: the current shared secret.
    package init(deviceID: DeviceID, secret: Secret) {
        self.init(deviceID: deviceID, secret: secret, ephemeral: AgreementPrivateKey(), nonce: Nonce())
    }

    init(deviceID: DeviceID, secret: Secret, ephemeral: AgreementPrivateKey, nonce: Nonce) {
        self.deviceID = deviceID
        self.secret = secret
        self.ephemeral = ephemeral
        self.nonce = nonce
    }

    package var message: JSONValue {
        ["device_ephemeral": .string(ephemeral.publicKey.description), "nonce": .string(nonce.description)]
    }

    /// - Throws: ``TrustError/Code/wrongProof`` when the sender of the answer does not have the shared secret.
    package func credentials(answer: JSONValue) throws(TrustError) -> DeviceCredentials {
        let fields = try TrustFields(answer, "the broker's answer", exactly: ["server_ephemeral", "nonce", "proof"])
        let theirs = try fields.read("server_ephemeral", "a P-256 public key", AgreementPublicKey.init)
        let nonce = try fields.read("nonce", "32 hexadecimal digits", Nonce.init)
        let keys = RotationKeys(
            agreement: try ephemeral.agreement(with: theirs), secret: secret,
            salt: RotationKeys.salt(
                deviceID, device: message, server: RotationKeys.share(theirs, nonce)))
        guard ConstantTime.isEqual(try fields.bytes("proof", count: 32), keys.proof) else {
            throw TrustError(.wrongProof, "the answer is not from the broker that this phone is paired with")
        }
        return keys.credentials
    }
}

/// The broker's side of a rotation.
package struct BrokerRotation: Sendable {
    package let answer: JSONValue
    package let credentials: DeviceCredentials

    /// - Parameter secret: the current shared secret.
    /// - Throws: ``TrustError`` for a malformed message.
    package init(message: JSONValue, deviceID: DeviceID, secret: Secret) throws(TrustError) {
        try self.init(
            message: message, deviceID: deviceID, secret: secret, ephemeral: AgreementPrivateKey(), nonce: Nonce())
    }

    init(
        message: JSONValue, deviceID: DeviceID, secret: Secret, ephemeral: AgreementPrivateKey, nonce: Nonce
    ) throws(TrustError) {
        let fields = try TrustFields(message, "the device's message", exactly: ["device_ephemeral", "nonce"])
        let theirs = try fields.read("device_ephemeral", "a P-256 public key", AgreementPublicKey.init)
        _ = try fields.read("nonce", "32 hexadecimal digits", Nonce.init)
        let share = RotationKeys.share(ephemeral.publicKey, nonce)
        let keys = RotationKeys(
            agreement: try ephemeral.agreement(with: theirs), secret: secret,
            salt: RotationKeys.salt(deviceID, device: message, server: share))
        var members = share.objectValue ?? [:]
        members["proof"] = .string(Base64URL.encode(keys.proof))
        answer = .object(members)
        credentials = keys.credentials
    }
}

private struct RotationKeys {
    private let material: Secret
    private let salt: [UInt8]

    init(agreement: SharedSecretBytes, secret: Secret, salt: [UInt8]) {
        material = Secret.joined([agreement.secret, secret])
        self.salt = salt
    }

    static func share(_ key: AgreementPublicKey, _ nonce: Nonce) -> JSONValue {
        ["server_ephemeral": .string(key.description), "nonce": .string(nonce.description)]
    }

    static func salt(_ id: DeviceID, device: JSONValue, server: JSONValue) -> [UInt8] {
        TrustHash.sha256([
            "device": device, "device_id": .string(id.description), "purpose": "countersign rotation",
            "server": server, "version": "1",
        ])
    }

    private func key(_ label: String) -> Secret {
        KeyDerivation.key(from: material, salt: salt, info: "countersign rotation 1 \(label)")
    }

    var proof: [UInt8] { KeyDerivation.authentication(of: salt, under: key("broker proof")) }

    var credentials: DeviceCredentials {
        DeviceCredentials(sharedSecret: key("shared secret"), token: key("device token"))
    }
}
