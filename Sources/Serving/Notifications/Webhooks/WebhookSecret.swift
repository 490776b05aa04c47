import Crypto
import Foundation
import Secrets

/// The key that a webhook's sender and receiver share: `whsec_` and 24 to 64 bytes in base64 (Standard Webhooks, "Signature
/// scheme").
package struct WebhookSecret: Sendable {
    private let key: Secret

    /// Returns nil for any other text.
    package init?(_ text: Secret) {
        let key = text.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        let bytes: [UInt8]? = {
            let words = key.revealed()
            guard words.hasPrefix(Self.prefix) else { return nil }
            return Data(base64Encoded: String(words.dropFirst(Self.prefix.count))).map(Array.init)
        }()
        guard let bytes, (24...64).contains(bytes.count) else { return nil }
        self.key = Secret(bytes: bytes)
    }

    private static let prefix = "whsec_"

    /// Returns the value of the header `webhook-signature`.
    ///
    /// - Parameter seconds: the value of `webhook-timestamp`, in seconds since 1970.
    func signature(of body: [UInt8], id: String, seconds: Int) -> String {
        key.withUnsafeBytes { key in
            var hash = HMAC<SHA256>(key: SymmetricKey(data: key))
            hash.update(data: Array("\(id).\(seconds).".utf8))
            hash.update(data: body)
            return "v1," + Data(hash.finalize()).base64EncodedString()
        }
    }
}
