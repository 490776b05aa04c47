import BrokerStore
import DeviceTrust

/// The device that shows a token on the phone's routes.
enum CallingDevice: Sendable {
    /// The device of `PHONE_API_TOKEN`.
    case standard(DefaultDevice)
    case paired(PairedDevice)

    /// The device's id, or `default`.
    var name: String {
        switch self {
        case .standard: DeviceStore.defaultDeviceName
        case .paired(let device): device.id.description
        }
    }

    var paired: PairedDevice? {
        if case .paired(let device) = self { device } else { nil }
    }
}
