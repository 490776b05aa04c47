import Crypto
import Encodings
import Foundation
import Secrets

/// The token that shows Apple's service who sends (JWT, ES256). One serves all messages for forty minutes, those of other
/// processes too when they share a place for it.
///
/// Apple refuses a token that is older than an hour, and a sender who makes a new one within twenty minutes.
actor APNsProviderToken {
    /// The age at which a token is renewed, and the youngest at which one is that Apple calls expired, in seconds.
    static let lifetime: TimeInterval = 40 * 60
    static let leastAge: TimeInterval = 20 * 60
    /// The age up to which a token is used when the shared place does not answer.
    static let longestAge: TimeInterval = 55 * 60
    /// The tries to keep a token. Each one that fails means that another process has kept one.
    private static let tries = 5

    private let configuration: APNsConfiguration
    private let place: (any APNsTokenPlace)?
    private var current: APNsToken?
    private var renewal: Task<APNsToken?, any Error>?

    /// - Parameter place: nil when no other process sends.
    init(_ configuration: APNsConfiguration, in place: (any APNsTokenPlace)? = nil) {
        self.configuration = configuration
        self.place = place
    }

    /// Returns the token for a message.
    ///
    /// - Throws: `APNsError` when the key cannot sign; the shared place's error when it does not answer and the token in use is
    ///   too old.
    func token(at now: Date) async throws -> APNsToken {
        if let current, Self.isUsable(current, at: now) { return current }
        do {
            guard let next = try await next(after: nil, at: now) else { throw CancellationError() }
            return next
        } catch {
            guard let current, (-Self.leastAge..<Self.longestAge).contains(now.timeIntervalSince(current.made)) else {
                throw error
            }
            return current
        }
    }

    /// Returns another token, because Apple calls this one expired: its clock may differ from ours.
    ///
    /// - Returns: nil when the token is too young to be renewed, and no other process has renewed it.
    func token(after refused: APNsToken, at now: Date) async throws -> APNsToken? {
        if let current, !current.isSame(as: refused), Self.isUsable(current, at: now) { return current }
        return try await next(after: refused, at: now)
    }

    /// Messages are sent side by side with slightly different times, in no order.
    private static func isUsable(_ token: APNsToken, at now: Date) -> Bool {
        (-leastAge..<lifetime).contains(now.timeIntervalSince(token.made))
    }

    /// Messages that need a token at once get the same one.
    private func next(after refused: APNsToken?, at now: Date) async throws -> APNsToken? {
        if let renewal { return try await renewal.value }
        let task = Task { try await choose(after: refused, at: now) }
        renewal = task
        defer { renewal = nil }
        let chosen = try await task.value
        if let chosen { current = chosen }
        return chosen
    }

    /// Takes the token that another process has made, or makes one.
    private func choose(after refused: APNsToken?, at now: Date) async throws -> APNsToken? {
        for _ in 0..<Self.tries {
            let kept = try await place?.kept()
            if let kept, refused.map({ !kept.isSame(as: $0) }) ?? true, Self.isUsable(kept, at: now) { return kept }
            if let refused, now.timeIntervalSince(refused.made) < Self.leastAge { return nil }
            let made = APNsToken(text: try sign(at: now), made: now)
            guard let place else { return made }
            if try await place.keep(made) { return made }
        }
        return nil
    }

    private func sign(at now: Date) throws(APNsError) -> Secret {
        let header: JSONValue = ["alg": "ES256", "kid": .string(configuration.keyID), "typ": "JWT"]
        let claims: JSONValue = [
            "iss": .string(configuration.teamID), "iat": .number(now.timeIntervalSince1970.rounded(.down)),
        ]
        guard let head = try? header.canonicalBytes(), let body = try? claims.canonicalBytes() else {
            throw APNsError("the claims of a token for Apple cannot be written")
        }
        let text = "\(Base64URL.encode(head)).\(Base64URL.encode(body))"
        guard let signature = try? configuration.key.signature(for: Array(text.utf8)).rawRepresentation else {
            throw APNsError("the key in APNS_KEY_FILE cannot sign")
        }
        return Secret("\(text).\(Base64URL.encode(signature))")
    }
}
