import AssistantJobs
import AssistantStore
import Crypto
import Encodings
import Foundation
import Hummingbird
import Secrets

/// Begins and continues sessions: it makes their tokens, of which the database gets digests only.
struct SessionIssuer: Sendable {
    /// A session ends after so many seconds without a refresh.
    private static let lifetime: TimeInterval = 90 * 86_400

    let sessions: SessionStore
    let keys: StateKeys
    let tokens: AccessTokens

    /// Begins a session, and records the sign-in.
    ///
    /// - Parameter method: `apple` or `passkey`.
    func begin(_ user: UUID, deviceID: String, method: String, isNew: Bool, at now: Date) async throws -> Response {
        let refresh = Self.refreshToken()
        let session = try await sessions.begin(
            user, deviceID: deviceID, refreshDigest: digest(refresh), expires: now.addingTimeInterval(Self.lifetime),
            recording: NewAuditEvent("SIGN_IN", metadata: ["method": .string(method), "new_user": .bool(isNew)]),
            at: now)
        return answer(session, refresh, now)
    }

    /// Exchanges a refresh token for the session's next tokens.
    func refresh(_ shown: Secret, at now: Date) async throws -> Response {
        let next = Self.refreshToken()
        let rotation = try await sessions.rotate(
            digest(shown.revealed()), to: digest(next), expires: now.addingTimeInterval(Self.lifetime), at: now)
        guard case .rotated(let session) = rotation else {
            throw AssistantError.unauthorized(
                .invalidRefreshToken,
                "the refresh token is unknown, was used before, or its session is over; sign in again")
        }
        return answer(session, next, now)
    }

    /// Returns whether a refresh token is or was one of this service's.
    func isKnown(_ shown: Secret) async throws -> Bool {
        try await sessions.isKnown(digest(shown.revealed()))
    }

    private func digest(_ token: String) -> [UInt8] { keys.digest(token, for: "refresh token") }

    private func answer(_ session: StoredSession, _ refresh: String, _ now: Date) -> Response {
        .json([
            "access_token": .string(tokens.token(for: session, at: now)), "refresh_token": .string(refresh),
            "expires_in": .number(AccessTokens.lifetime),
        ])
    }

    private static func refreshToken() -> String {
        Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }
}
