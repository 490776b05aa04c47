import DeviceTrust
import Foundation
import Secrets

/// What the person brings to the phone: what was scanned from the broker's screen, or the code that was read off it.
public struct PairingInvitation: Sendable {
    public let code: PairingCode
    public let endpoint: URL
    /// Nil where only the code is known: then nothing tells the right broker from another before the code has proved it.
    let payload: PairingPayload?

    /// - Parameter text: a QR code's text, a URI or its JSON.
    /// - Throws: ``TrustError`` or ``PhoneError``.
    public init(scanned text: Secret) throws {
        let payload = try PairingPayload(text)
        endpoint = try PhoneConnection.address(payload.endpoint)
        code = payload.code
        self.payload = payload
    }

    /// - Throws: ``PhoneError`` for what is no broker's address.
    public init(code: PairingCode, at endpoint: String) throws(PhoneError) {
        self.endpoint = try PhoneConnection.address(endpoint)
        self.code = code
        payload = nil
    }

    /// Whether a text is what a QR code would have, rather than a code or a file's name.
    public static func isScanned(_ text: String) -> Bool {
        text.lowercased().hasPrefix("countersign:") || text.hasPrefix("{")
    }
}
