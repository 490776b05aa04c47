import Foundation

/// The sealed address of a device: Apple's device token, or a browser's subscription.
package enum PushAddress {
    /// Returns the binding under which it is sealed: it cannot be opened for another user or device.
    package static func binding(_ userID: UUID, _ deviceID: String) -> String {
        "push token of \(userID.uuidString), device \(deviceID)"
    }
}
