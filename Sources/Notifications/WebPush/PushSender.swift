import CurlClient
import Foundation

/// Sends messages to browsers through their push services (RFC 8030).
///
///     let sender = PushSender(try ApplicationServer(keyFile: file, subject: VAPIDSubject("mailto:name@provider.net")))
///     let outcome = await sender.send(#"{"open":"/"}"#, to: subscription, lifetime: 300)
public actor PushSender {
    public enum Outcome: Sendable, Hashable {
        /// The push service took the message. Apple's can say so for a browser that is gone.
        case taken
        /// The browser is not subscribed any more (404 or 410): the subscription can be forgotten.
        case gone
        /// The push service refused the message with this status.
        case refused(Int)
        case unreachable
    }

    /// The bytes to which messages are padded.
    static let paddedLength = 512

    private let server: ApplicationServer
    private let session: CurlSession

    /// - Parameter http: for example with a certificate authority of its own.
    public init(_ server: ApplicationServer, http: CurlConfiguration = CurlConfiguration()) {
        var http = http
        http.keepsCookies = false
        http.limits.connect = .seconds(10)
        http.limits.whole = .seconds(20)
        http.limits.bodySize = 64 << 10
        self.server = server
        session = CurlSession(http)
    }

    public func close() async { await session.close() }

    /// Encrypts a message for one browser and sends it. A later one replaces it while it waits.
    ///
    /// - Parameters:
    ///   - message: at most 512 bytes.
    ///   - lifetime: the seconds for which the push service keeps it for a browser that is off.
    public func send(
        _ message: String, to subscription: PushSubscription, lifetime: Int, at now: Date = Date()
    ) async -> Outcome {
        precondition(message.utf8.count <= Self.paddedLength, "a message names an address, and nothing else")
        guard
            let body = try? PushEncryption.encrypt(
                Array(message.utf8), paddedTo: Self.paddedLength, for: subscription),
            let authorization = try? server.authorization(for: subscription.origin, at: now)
        else { return .refused(0) }
        let headers = [
            HTTPHeader("Authorization", authorization), HTTPHeader("Content-Encoding", "aes128gcm"),
            HTTPHeader("Content-Type", "application/octet-stream"), HTTPHeader("TTL", "\(max(0, lifetime))"),
            HTTPHeader("Urgency", "high"), HTTPHeader("Topic", "request"),
        ]
        let request = HTTPRequest("POST", subscription.endpoint.absoluteString, headers: headers, body: body)
        guard let answer = try? await session.send(request) else { return .unreachable }
        return switch answer.status {
        case 200..<300: .taken
        case 404, 410: .gone
        case 429, 500...: .unreachable
        default: .refused(answer.status)
        }
    }
}
