import Foundation

/// A signed-in device.
package struct StoredSession: Sendable, Hashable {
    package let id: UUID
    package let userID: UUID

    package init(id: UUID, userID: UUID) {
        self.id = id
        self.userID = userID
    }
}

/// The outcome of showing a refresh token.
package enum Rotation: Sendable, Hashable {
    case rotated(StoredSession)
    /// The token had been used before: someone has a copy. The session is over.
    case reused(StoredSession)
    case unknown
}

/// Sessions and their refresh tokens, of which the database keeps digests only.
package struct SessionStore: Sendable {
    let database: any SQLDatabase

    /// Begins a session with its first refresh token, and records the sign-in in the same transaction.
    package func begin(
        _ userID: UUID, deviceID: String, refreshDigest: [UInt8], expires: Date, recording event: NewAuditEvent,
        at now: Date
    ) async throws -> StoredSession {
        let id = UUID()
        try await database.transaction(.writing) { session in
            _ = try session.change(
                "INSERT INTO sessions (id, user_id, device_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
                [.uuid(id), .uuid(userID), .text(deviceID), .time(now), .time(expires)])
            try Self.issue(refreshDigest, for: id, now, session)
            try AuditEventStore.record(event, of: userID, now, session)
        }
        return StoredSession(id: id, userID: userID)
    }

    /// Returns whether a refresh token is or was a session's. A used one counts too: its reuse has to end the session.
    package func isKnown(_ digest: [UInt8]) async throws -> Bool {
        try await database.transaction(.reading) { session in
            try session.row("SELECT 1 AS found FROM refresh_tokens WHERE digest = $1", [.bytes(digest)]) != nil
        }
    }

    /// Exchanges a refresh token for the next one. Reuse of an old one ends the session (RFC 9700, section 4.14.2).
    ///
    /// - Parameter expires: the new end of the session.
    package func rotate(_ digest: [UInt8], to next: [UInt8], expires: Date, at now: Date) async throws -> Rotation {
        try await database.transaction(.writing) { session in
            let isFirstUse =
                try session.change(
                    "UPDATE refresh_tokens SET used_at = $1 WHERE digest = $2 AND used_at IS NULL",
                    [.time(now), .bytes(digest)]) == 1
            guard
                let row = try session.row(
                    """
                    SELECT sessions.id, sessions.user_id FROM refresh_tokens
                    JOIN sessions ON sessions.id = refresh_tokens.session_id
                    JOIN users ON users.id = sessions.user_id
                    WHERE digest = $1 AND sessions.ended_at IS NULL AND sessions.expires_at > $2
                        AND users.status = 'ACTIVE'
                    """, [.bytes(digest), .time(now)])
            else { return .unknown }
            let stored = StoredSession(id: try row.uuid("id"), userID: try row.uuid("user_id"))
            guard isFirstUse else {
                try Self.end(stored.id, now, session)
                return .reused(stored)
            }
            // An end that was committed since the row was read wins.
            guard
                try session.change(
                    "UPDATE sessions SET expires_at = $1 WHERE id = $2 AND ended_at IS NULL",
                    [.time(expires), .uuid(stored.id)]) == 1
            else { return .unknown }
            try Self.issue(next, for: stored.id, now, session)
            return .rotated(stored)
        }
    }

    /// Returns whether a session is that user's and not over. Every request with an access token asks this.
    package func isOpen(_ id: UUID, of userID: UUID, at now: Date) async throws -> Bool {
        try await database.transaction(.reading) { session in
            try session.row(
                """
                SELECT 1 AS found FROM sessions JOIN users ON users.id = sessions.user_id
                WHERE sessions.id = $1 AND sessions.user_id = $2 AND ended_at IS NULL AND expires_at > $3
                    AND users.status = 'ACTIVE'
                """, [.uuid(id), .uuid(userID), .time(now)]) != nil
        }
    }

    package func end(_ id: UUID, at now: Date) async throws {
        try await database.transaction(.writing) { try Self.end(id, now, $0) }
    }

    /// Ends a session at its user's wish, and forgets the device that it was on, so that no more notices go there.
    package func signOut(_ id: UUID, at now: Date) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                """
                DELETE FROM devices WHERE id IN (SELECT devices.id FROM devices JOIN sessions
                    ON sessions.user_id = devices.user_id AND sessions.device_id = devices.device_id
                    WHERE sessions.id = $1)
                """, [.uuid(id)])
            try Self.end(id, now, session)
        }
    }

    static func end(_ id: UUID, _ now: Date, _ session: any SQLSession) throws {
        _ = try session.change(
            "UPDATE sessions SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL", [.time(now), .uuid(id)])
    }

    static func endAll(of userID: UUID, _ now: Date, _ session: any SQLSession) throws {
        _ = try session.change(
            "UPDATE sessions SET ended_at = $1 WHERE user_id = $2 AND ended_at IS NULL", [.time(now), .uuid(userID)])
    }

    /// Removes sessions that ended, invitations that lapsed and unanswered consents, all before a time.
    ///
    /// - Returns: the number of sessions removed.
    package func removeEnded(before end: Date) async throws -> Int {
        try await database.transaction(.writing) { session in
            _ = try session.change("DELETE FROM invitations WHERE expires_at < $1", [.time(end)])
            _ = try session.change("DELETE FROM answered_challenges WHERE expires_at < $1", [.time(end)])
            _ = try session.change("DELETE FROM consents WHERE expires_at < $1", [.time(end)])
            return try session.change(
                "DELETE FROM sessions WHERE expires_at < $1 OR ended_at < $1", [.time(end)])
        }
    }

    private static func issue(_ digest: [UInt8], for id: UUID, _ now: Date, _ session: any SQLSession) throws {
        _ = try session.change(
            "INSERT INTO refresh_tokens (digest, session_id, issued_at) VALUES ($1, $2, $3)",
            [.bytes(digest), .uuid(id), .time(now)])
    }
}
