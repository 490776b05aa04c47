import Crypto
import Encodings
import Foundation
import WebURL

/// A subscription or a subject that no push service would take, with the reason.
package struct WebPushError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A browser's subscription to messages: where its push service takes them (RFC 8030, section 3), and for whom they are
/// encrypted (RFC 8291, section 3).
package struct PushSubscription: Sendable, Hashable {
    /// The longest address, in characters.
    static let longestEndpoint = 2048

    /// An https address at the browser's push service.
    package let endpoint: URLRecord
    /// The browser's public key on P-256, 65 bytes (X9.62, uncompressed).
    let publicKey: [UInt8]
    /// The secret that the browser shares with those who send to it, 16 bytes.
    let authentication: [UInt8]

    /// - Parameters:
    ///   - publicKey: the member `p256dh` of the browser's subscription, in base64url.
    ///   - authentication: its member `auth`, in base64url.
    ///   - mayBePlain: whether the address may be an http address of a loopback host.
    /// - Throws: ``WebPushError``.
    package init(
        endpoint: String, publicKey: String, authentication: String, mayBePlain: Bool = false
    ) throws(WebPushError) {
        guard endpoint.count <= Self.longestEndpoint, let url = try? URLRecord(parsing: endpoint), let host = url.host,
            !url.hasCredentials, url.fragment == nil,
            url.scheme == "https" || mayBePlain && url.scheme == "http" && host.isLoopback
        else { throw WebPushError("the subscription's address must be an https address") }
        guard let key = Base64URL.decode(publicKey), key.count == 65,
            (try? P256.KeyAgreement.PublicKey(x963Representation: key)) != nil
        else { throw WebPushError("the subscription's key must be a point on P-256") }
        guard let secret = Base64URL.decode(authentication), secret.count == 16 else {
            throw WebPushError("the subscription's secret must have 16 bytes")
        }
        self.endpoint = url
        self.publicKey = key
        self.authentication = secret
    }

    /// The scheme, host and port of the push service, as the audience of a token (RFC 8292, section 2).
    package var origin: String {
        Origin(of: endpoint)?.description ?? ""
    }
}
