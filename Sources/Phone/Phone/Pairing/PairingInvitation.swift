import DeviceTrust
import Foundation
import PhoneStore
import Secrets

/// An invitation to pair that the person gives to the phone: a scanned QR code, or the code typed from the broker's
/// screen.
package struct PairingInvitation: Sendable {
    package let code: PairingCode
    package let endpoint: URL
    /// Nil if only the code is known: then only the broker's proof tells the right broker from another.
    let payload: PairingPayload?

    /// - Parameter text: the text of a QR code, a URI or its JSON.
    /// - Throws: ``TrustError`` or ``PhoneError``.
    package init(scanned text: Secret) throws {
        let payload = try PairingPayload(text)
        endpoint = try PhoneConnection.address(payload.endpoint)
        code = payload.code
        self.payload = payload
    }

    /// - Throws: ``PhoneError`` if the endpoint is not a broker's address.
    package init(code: PairingCode, at endpoint: String) throws(PhoneError) {
        self.endpoint = try PhoneConnection.address(endpoint)
        self.code = code
        payload = nil
    }

    /// Returns whether a text is the content of a QR code, rather than a typed code or a file name.
    package static func isScanned(_ text: String) -> Bool {
        text.lowercased().hasPrefix("countersign:") || text.hasPrefix("{")
    }
}
