import Foundation

/// A consent that a user was sent away to give. Its `state` is kept as a digest, its PKCE verifier sealed.
package struct PendingConsent: Sendable, Hashable {
    package let userID: UUID
    package let sessionID: UUID
    package let redirectURI: String
    package let sealedVerifier: [UInt8]
    package let expires: Date

    package init(userID: UUID, sessionID: UUID, redirectURI: String, sealedVerifier: [UInt8], expires: Date) {
        self.userID = userID
        self.sessionID = sessionID
        self.redirectURI = redirectURI
        self.sealedVerifier = sealedVerifier
        self.expires = expires
    }
}

/// Consents that wait for their callback.
package struct ConsentStore: Sendable {
    /// The most consents of one user that wait. The oldest make room.
    package static let most = 10

    let database: any SQLDatabase

    package func add(_ consent: PendingConsent, stateDigest: [UInt8], at now: Date) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                """
                DELETE FROM consents WHERE expires_at <= $1 OR state_digest IN (SELECT state_digest FROM consents
                    WHERE user_id = $2 ORDER BY expires_at DESC LIMIT 1000 OFFSET $3)
                """, [.time(now), .uuid(consent.userID), .integer(Self.most - 1)])
            _ = try session.change(
                """
                INSERT INTO consents (state_digest, user_id, session_id, redirect_uri, verifier_ciphertext, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    .bytes(stateDigest), .uuid(consent.userID), .uuid(consent.sessionID), .text(consent.redirectURI),
                    .bytes(consent.sealedVerifier), .time(consent.expires),
                ])
        }
    }

    /// Returns true while ``take(_:session:at:)`` would take a consent.
    package func isWaiting(_ stateDigest: [UInt8], session sessionID: UUID, at now: Date) async throws -> Bool {
        try await database.transaction(.reading) { session in
            try session.row(
                "SELECT user_id FROM consents WHERE state_digest = $1 AND session_id = $2 AND expires_at > $3",
                [.bytes(stateDigest), .uuid(sessionID), .time(now)]) != nil
        }
    }

    /// Takes the consent of a session, so that its `state` works once. Another session's attempt takes nothing.
    package func take(_ stateDigest: [UInt8], session sessionID: UUID, at now: Date) async throws -> PendingConsent? {
        try await database.transaction(.writing) { session in
            try session.row(
                """
                DELETE FROM consents WHERE state_digest = $1 AND session_id = $2 AND expires_at > $3
                RETURNING user_id, redirect_uri, verifier_ciphertext, expires_at
                """, [.bytes(stateDigest), .uuid(sessionID), .time(now)]
            ).map { row in
                PendingConsent(
                    userID: try row.uuid("user_id"), sessionID: sessionID, redirectURI: try row.text("redirect_uri"),
                    sealedVerifier: try row.bytes("verifier_ciphertext"), expires: try row.time("expires_at"))
            }
        }
    }
}
