import CurlClient
import Foundation

/// The address that is told of events, and the key that signs them.
package struct WebhookConfiguration: Sendable {
    /// An `https` address, or `http` on this machine.
    package var url: String
    package var secret: WebhookSecret
    /// A PEM file with a certificate authority to trust besides the system's.
    package var extraCAFile: URL?

    package init(url: String, secret: WebhookSecret) {
        self.url = url
        self.secret = secret
    }
}

/// Sends signed messages to one address (Standard Webhooks 1.0).
///
/// A redirect is not followed: the message goes to the owner's address and nowhere else.
package struct WebhookSender: Sendable {
    package enum Outcome: Sendable, Hashable {
        /// Answered 2xx.
        case taken
        /// Answered 410: the receiver wants no more attempts.
        case gone
        /// Not taken this time, with the reason for the owner.
        case failed(String)
    }

    private let configuration: WebhookConfiguration
    private let session: CurlSession

    package init(_ configuration: WebhookConfiguration) {
        self.configuration = configuration
        session = CurlSession(
            .calls(trusting: configuration.extraCAFile, within: .seconds(20), answersUpTo: 64 << 10))
    }

    package func close() async { await session.close() }

    /// Sends a message once.
    ///
    /// - Parameters:
    ///   - id: the same for each attempt.
    ///   - now: the time of this attempt, which the signature covers.
    package func send(_ body: [UInt8], id: String, at now: Date) async -> Outcome {
        let seconds = Int(now.timeIntervalSince1970)
        let headers = [
            HTTPHeader("Content-Type", "application/json"), HTTPHeader("webhook-id", id),
            HTTPHeader("webhook-timestamp", "\(seconds)"),
            HTTPHeader(
                "webhook-signature", configuration.secret.signature(of: body, id: id, seconds: seconds)),
        ]
        do {
            let answer = try await session.send(
                HTTPRequest("POST", configuration.url, headers: headers, body: body))
            return switch answer.status {
            case 200..<300: .taken
            case 410: .gone
            case 300..<400: .failed("answered \(answer.status), a redirect, which is not followed")
            default: .failed("answered \(answer.status)")
            }
        } catch {
            return .failed("not reached: \(error)")
        }
    }
}
