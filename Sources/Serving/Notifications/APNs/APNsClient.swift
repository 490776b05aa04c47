import Crypto
import CurlClient
import Encodings
import Foundation
import Secrets

/// A message for Apple's service.
package struct APNsMessage: Sendable, Hashable {
    /// The longest payload, in bytes.
    package static let longest = 4096

    /// JSON.
    package let payload: [UInt8]
    /// The service keeps the message until then for a device that is off.
    package let expires: Date
    /// A message replaces one with the same id on the device. At most 64 bytes.
    package let collapseID: String
    /// True if the device shows it at once, and not when that suits its power.
    package let isUrgent: Bool

    package init(payload: [UInt8], expires: Date, collapseID: String, isUrgent: Bool) {
        self.payload = payload
        self.expires = expires
        self.collapseID = collapseID
        self.isUrgent = isUrgent
    }
}

/// Sends messages to Apple's devices (Apple, "Sending notification requests to APNs"), over one HTTP/2 connection to each
/// of the two services.
package final class APNsClient: Sendable {
    package enum Outcome: Sendable, Hashable {
        case taken
        /// The device is not registered any more.
        case gone
        /// Refused for good, with Apple's reason.
        case refused(String)
        /// Refused until the operator mends the settings, with Apple's reason.
        case misconfigured(String)
        /// The service cannot be reached, or asks to wait for these seconds.
        case later(seconds: Int)
    }

    /// The seconds to wait when Apple names none.
    private static let shortPause = 5
    /// Apple asks for no new tokens within twenty minutes; the present one goes on being used.
    private static let tokenPause = 60
    /// The pause after a service could not be reached, so that messages do not wait for it one after another, in seconds.
    private static let pauseUnreached = 10

    private let configuration: APNsConfiguration
    private let token: APNsProviderToken
    private let session: CurlSession
    /// For a service on this machine over plain HTTP, which may speak HTTP/1.1; nil for one over TLS.
    private let plain: CurlConfiguration?
    /// Ends of pauses, by service, or by the digest of a device's address.
    private let pauses = PushPauses()

    /// - Parameter http: for example with a certificate authority of its own.
    package convenience init(_ configuration: APNsConfiguration, http: CurlConfiguration = CurlConfiguration()) {
        self.init(configuration, http: http, token: nil)
    }

    /// - Parameter place: the place of the token that other processes send with, too; nil when no other one sends.
    package init(_ configuration: APNsConfiguration, http: CurlConfiguration, token place: (any APNsTokenPlace)?) {
        var http = http
        http.keepsCookies = false
        http.limits.connect = .seconds(5)
        http.limits.whole = .seconds(8)
        http.limits.bodySize = 64 << 10
        plain = configuration.address?.hasPrefix("http:") == true ? http : nil
        http.http2 = .shared
        session = CurlSession(http)
        self.configuration = configuration
        token = APNsProviderToken(configuration, in: place)
    }

    package func close() async { await session.close() }

    /// Sends a message to one device.
    ///
    /// - Parameter device: its token, in hexadecimal digits.
    package func send(
        _ message: APNsMessage, to device: Secret, _ environment: APNsEnvironment, at now: Date
    ) async -> Outcome {
        let service = configuration.address ?? environment.address
        let url = (service.hasSuffix("/") ? String(service.dropLast()) : service) + "/3/device/\(device.revealed())"
        let place = Base16.encode(SHA256.hash(data: Array(url.utf8)))
        if let wait = pauses.wait(for: service, place, at: now) { return .later(seconds: wait) }
        let shown: APNsToken
        do {
            shown = try await token.token(at: now)
        } catch let error as APNsError {
            return .misconfigured(error.description)
        } catch {
            // The place of the token does not answer.
            return .later(seconds: Self.shortPause)
        }
        guard let first = await exchange(message, url, shown) else {
            pauses.add(service, seconds: Self.pauseUnreached, at: now)
            return .later(seconds: Self.shortPause)
        }
        if Self.consequence(of: first) == .renewToken {
            guard let next = try? await token.token(after: shown, at: now),
                let second = await exchange(message, url, next)
            else { return .later(seconds: Self.tokenPause) }
            return outcome(second, service, place, now)
        }
        return outcome(first, service, place, now)
    }

    // MARK: Answers

    private func outcome(_ answer: HTTPResponse, _ service: String, _ place: String, _ now: Date) -> Outcome {
        let json = try? JSONReader.read(answer.body)
        let reason = json?["reason"]?.stringValue.map { String($0.prefix(64)) } ?? "status \(answer.status)"
        let wait = RetryAfter.seconds(answer.header("retry-after"), at: now)
        switch Self.consequence(of: answer) {
        case nil: return .taken
        case .removeDevice: return .gone
        case .giveUp: return .refused(reason)
        case .mendSettings: return .misconfigured(reason)
        case .renewToken: return .later(seconds: wait ?? Self.tokenPause)
        case .tryAgain: return .later(seconds: wait ?? Self.shortPause)
        case .slowDownDevice:
            pauses.add(place, seconds: wait ?? Self.shortPause, at: now)
            return .later(seconds: wait ?? Self.shortPause)
        case .slowDown:
            // Without a time to wait, the next message finds out whether the service works again.
            if let wait { pauses.add(service, seconds: wait, at: now) }
            return .later(seconds: wait ?? Self.shortPause)
        }
    }

    /// - Returns: nil for a message that was taken.
    private static func consequence(of answer: HTTPResponse) -> APNsReason.Consequence? {
        guard answer.status != 200 else { return nil }
        let reason = (try? JSONReader.read(answer.body))?["reason"]?.stringValue.flatMap(APNsReason.init(rawValue:))
        return reason?.consequence ?? APNsReason.consequence(ofStatus: answer.status)
    }

    // MARK: Exchanges

    /// - Returns: nil when the service cannot be reached.
    private func exchange(_ message: APNsMessage, _ url: String, _ token: APNsToken) async -> HTTPResponse? {
        let headers = [
            HTTPHeader("authorization", "bearer \(token.text.revealed())"),
            HTTPHeader("apns-topic", configuration.topic),
            HTTPHeader("apns-push-type", "alert"), HTTPHeader("apns-priority", message.isUrgent ? "10" : "5"),
            HTTPHeader("apns-expiration", String(Int(message.expires.timeIntervalSince1970))),
            HTTPHeader("apns-collapse-id", message.collapseID), HTTPHeader("content-type", "application/json"),
        ]
        var request = HTTPRequest("POST", url, headers: headers, body: message.payload)
        request.mayRunBesideOthers = true
        if let plain { return await Self.send(request, plain) }
        do throws(CurlError) {
            return try await session.send(request)
        } catch {
            // The service had closed a kept connection. A second message with the same collapse id is shown as the first.
            return error.code == .connectionLost ? try? await session.send(request) : nil
        }
    }

    /// Sends a message over plain HTTP on a connection of its own, as HTTP/2 and then as HTTP/1.1.
    private static func send(_ request: HTTPRequest, _ configuration: CurlConfiguration) async -> HTTPResponse? {
        for http2 in [HTTP2Use.assumed, .offered] {
            var http = configuration
            http.http2 = http2
            let session = CurlSession(http)
            let answer = try? await session.send(request)
            await session.close()
            if let answer { return answer }
        }
        return nil
    }
}
