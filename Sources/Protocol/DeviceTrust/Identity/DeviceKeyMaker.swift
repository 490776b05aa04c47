import Secrets

/// A place that keeps device keys, such as a TPM, a token or a key store of the system.
///
/// A program lists it under a name, `.deviceKey("tpm", …)`, and `countersign phone pair --key tpm` makes a key there. It
/// receives what is to be signed and the references that it gave itself, and nothing else of the phone.
///
/// A call that takes longer than a minute is cancelled and left behind.
public protocol DeviceKeyMaker: Sendable {
    /// Makes a key for one pairing. Should the pairing fail, nothing asks for this key again.
    func make() async throws -> MadeDeviceKey

    /// Returns the key of an earlier pairing, for one signature.
    ///
    /// The phone compares its public half with the one of the pairing, so that a maker need not recognise another TPM.
    ///
    /// - Parameter reference: what ``make()`` gave. It is wiped after the signature.
    func key(_ reference: Secret) async throws -> any DeviceKey
}

/// A new key, and how its maker finds it again.
public struct MadeDeviceKey: Sendable {
    public let key: any DeviceKey
    /// Says which key it is, in 1 to 4096 bytes. The vault keeps it sealed, and opens it only to sign.
    public let reference: Secret

    public init(_ key: any DeviceKey, reference: Secret) {
        self.key = key
        self.reference = reference
    }
}
