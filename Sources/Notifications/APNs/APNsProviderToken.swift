import Crypto
import Encodings
import Foundation
import JSON
import Synchronization

/// The token that shows Apple's service who sends (JWT, ES256). One serves all messages for forty minutes.
///
/// Apple refuses a token that is older than an hour, and a sender who makes a new one within twenty minutes.
final class APNsProviderToken: Sendable {
    /// The age at which a token is renewed, and the youngest at which one is that Apple calls expired, in seconds.
    static let lifetime: TimeInterval = 40 * 60
    static let leastAge: TimeInterval = 20 * 60

    private struct Issued {
        let text: String
        let time: Date
    }

    private let configuration: APNsConfiguration
    private let issued = Mutex<Issued?>(nil)

    init(_ configuration: APNsConfiguration) {
        self.configuration = configuration
    }

    /// Returns the token for a message.
    func text(at now: Date) throws -> String {
        try issued.withLock { issued in
            if let token = issued {
                // Messages that are sent side by side have slightly different times, in no order.
                let age = now.timeIntervalSince(token.time)
                if (-Self.leastAge..<Self.lifetime).contains(age) { return token.text }
            }
            let next = Issued(text: try sign(at: now), time: now)
            issued = next
            return next.text
        }
    }

    /// Makes the next message use a new token, because Apple calls this one expired: its clock may differ from ours.
    ///
    /// - Returns: false when the token is too young to be renewed.
    func renew(_ refused: String, at now: Date) throws -> Bool {
        try issued.withLock { token in
            guard let current = token, current.text == refused else { return true }
            guard now.timeIntervalSince(current.time) >= Self.leastAge else { return false }
            token = Issued(text: try sign(at: now), time: now)
            return true
        }
    }

    private func sign(at now: Date) throws -> String {
        let header: JSONValue = ["alg": "ES256", "kid": .string(configuration.keyID), "typ": "JWT"]
        let claims: JSONValue = [
            "iss": .string(configuration.teamID), "iat": .number(now.timeIntervalSince1970.rounded(.down)),
        ]
        let text = Base64URL.encode(try header.canonicalBytes()) + "." + Base64URL.encode(try claims.canonicalBytes())
        let signature = try configuration.key.signature(for: Array(text.utf8)).rawRepresentation
        return "\(text).\(Base64URL.encode(signature))"
    }
}
