import CurlClient
import Foundation

/// Sends messages to browsers through their push services (RFC 8030).
///
///     let sender = PushSender(try ApplicationServer(keyFile: file, subject: VAPIDSubject("mailto:name@provider.net")))
///     let outcome = await sender.send(#"{"open":"/"}"#, to: subscription, lifetime: 300)
package actor PushSender {
    package enum Outcome: Sendable, Hashable {
        /// The push service took the message. Apple's can say so for a browser that is gone.
        case taken
        /// The browser is not subscribed any more (404 or 410): the subscription can be forgotten.
        case gone
        /// The push service refused the message with this status.
        case refused(Int)
        /// The push service asks for fewer messages, or does not work, and asks to wait for these seconds.
        case limited(seconds: Int)
        case unreachable
    }

    /// The handling of a message by its push service (RFC 8030, section 5).
    package struct Delivery: Sendable, Hashable {
        /// The seconds for which the push service keeps the message for a browser that is off.
        package var lifetime: Int
        /// At most 32 characters of base64url. A message replaces one with the same topic that still waits.
        package var topic: String
        /// False if it may wait until the device wakes for another reason.
        package var isUrgent: Bool

        package init(lifetime: Int, topic: String = "request", isUrgent: Bool = true) {
            self.lifetime = lifetime
            self.topic = topic
            self.isUrgent = isUrgent
        }
    }

    /// The lengths to which messages are padded, in bytes. The last leaves room for what encryption adds: push services
    /// take bodies of 4096 bytes (RFC 8030, section 7.2).
    static let paddedLengths = [512, 1024, 2048, longest]
    /// The longest message, in bytes.
    package static let longest = 3072

    private let server: ApplicationServer
    private let session: CurlSession
    /// The seconds for which a push service is left alone after it could not be reached.
    private let pauseUnreached: Int
    /// Pauses of push services by origin, and of browsers by address.
    private let pauses = PushPauses()

    /// - Parameters:
    ///   - http: for example with a certificate authority of its own.
    ///   - pauseUnreached: the seconds for which a push service is left alone after it could not be reached, so that many
    ///     messages do not wait for it one after another.
    package init(
        _ server: ApplicationServer, http: CurlConfiguration = CurlConfiguration(), pauseUnreached: Int = 0
    ) {
        var http = http
        http.keepsCookies = false
        http.limits.connect = .seconds(5)
        http.limits.whole = .seconds(8)
        http.limits.bodySize = 64 << 10
        self.server = server
        self.pauseUnreached = pauseUnreached
        session = CurlSession(http)
    }

    package func close() async { await session.close() }

    /// Encrypts a message for one browser and sends it.
    ///
    /// - Parameter message: at most ``longest`` bytes.
    package func send(
        _ message: String, to subscription: PushSubscription, _ delivery: Delivery, at now: Date = Date()
    ) async -> Outcome {
        let address = subscription.endpoint.description
        if let wait = pauses.wait(for: subscription.origin, address, at: now) { return .limited(seconds: wait) }
        guard let length = Self.paddedLengths.first(where: { message.utf8.count <= $0 }),
            let body = try? PushEncryption.encrypt(Array(message.utf8), paddedTo: length, for: subscription),
            let authorization = try? server.authorization(for: subscription.origin, at: now)
        else { return .refused(0) }
        let headers = [
            HTTPHeader("Authorization", authorization), HTTPHeader("Content-Encoding", "aes128gcm"),
            HTTPHeader("Content-Type", "application/octet-stream"),
            HTTPHeader("TTL", "\(max(0, delivery.lifetime))"),
            HTTPHeader("Urgency", delivery.isUrgent ? "high" : "normal"), HTTPHeader("Topic", delivery.topic),
        ]
        var request = HTTPRequest("POST", address, headers: headers, body: body)
        // A push service that hangs holds up its own messages only.
        request.mayRunBesideOthers = true
        guard let answer = try? await session.send(request) else {
            if pauseUnreached > 0 { pauses.add(subscription.origin, seconds: pauseUnreached, at: now) }
            return .unreachable
        }
        switch answer.status {
        case 200..<300: return .taken
        case 404, 410: return .gone
        case 429, 500...:
            guard let wait = RetryAfter.seconds(answer.header("retry-after"), at: now) else { return .unreachable }
            pauses.add(answer.status == 429 ? address : subscription.origin, seconds: wait, at: now)
            return .limited(seconds: wait)
        default: return .refused(answer.status)
        }
    }

    /// Encrypts a message for one browser and sends it. A later one replaces it while it waits.
    ///
    /// - Parameter lifetime: the seconds for which the push service keeps it for a browser that is off.
    package func send(
        _ message: String, to subscription: PushSubscription, lifetime: Int, at now: Date = Date()
    ) async -> Outcome {
        await send(message, to: subscription, Delivery(lifetime: lifetime), at: now)
    }
}
