import DeviceTrust
import Secrets

/// The device key of a new pairing, which still has to be saved in a vault.
package struct PairedDeviceKey: Sendable {
    static let longestReference = 4096

    /// The name of the place that keeps it.
    package let maker: String
    /// Says which key it is; for a key of the vault, the key itself.
    let reference: Secret
    let key: any DeviceKey

    package var publicKey: DevicePublicKey { key.publicKey }
}
