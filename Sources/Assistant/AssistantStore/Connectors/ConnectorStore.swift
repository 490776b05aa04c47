import Foundation

/// A user's connection to a provider, with its sealed refresh token.
package struct StoredConnector: Sendable, Hashable {
    package enum Status: String, Sendable, Hashable {
        case active = "ACTIVE"
        /// The provider refused the refresh token: the user has to consent again.
        case needsReconnect = "NEEDS_RECONNECT"
        case revoked = "REVOKED"
    }

    package let id: UUID
    package let userID: UUID
    package let provider: String
    /// The scopes as granted, which may be fewer than were asked for.
    package let scopes: [String]
    /// Empty once revoked.
    package let sealedToken: [UInt8]
    package let tokenKeyID: String
    package let tokenVersion: Int
    package let tokenRotatedAt: Date
    package let status: Status
    package let createdAt: Date
}

/// A sealed token, and the key under which it is sealed.
package struct NewToken: Sendable, Hashable {
    package let sealed: [UInt8]
    package let keyID: String
    package let version: Int

    package init(sealed: [UInt8], keyID: String, version: Int) {
        self.sealed = sealed
        self.keyID = keyID
        self.version = version
    }
}

/// The connectors of users. Their tokens are sealed before they come here.
package struct ConnectorStore: Sendable {
    let database: any SQLDatabase

    /// Stores a new connector, or the new token of one in use, and records that in the same transaction.
    ///
    /// - Parameter id: the connector to which the token is bound: from ``idForConnecting(_:provider:)``.
    /// - Throws: ``AssistantStoreError`` with `conflict` when another connection came first, or the user's deletion has
    ///   begun.
    package func connect(
        _ id: UUID, of userID: UUID, provider: String, scopes: [String], _ token: NewToken,
        recording event: NewAuditEvent, at now: Date
    ) async throws {
        try await database.transaction(.writing) { session in
            // A deletion that begins after this waits for this transaction, and then finds the connector.
            guard
                try session.row(
                    "SELECT id FROM users WHERE id = $1 AND status = 'ACTIVE' \(session.dialect.keepingUnchanged)",
                    [.uuid(userID)]) != nil
            else { throw AssistantStoreError(.conflict, "everything of this user is being deleted") }
            let changed = try session.change(
                """
                INSERT INTO connectors (id, user_id, provider, scopes, refresh_token_ciphertext, token_key_id,
                    token_version, token_rotated_at, status, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'ACTIVE', $8)
                ON CONFLICT (id) DO UPDATE SET scopes = excluded.scopes,
                    refresh_token_ciphertext = excluded.refresh_token_ciphertext,
                    token_key_id = excluded.token_key_id, token_version = excluded.token_version,
                    token_rotated_at = excluded.token_rotated_at, status = 'ACTIVE', reconnect_told_at = NULL
                WHERE connectors.status <> 'REVOKED' AND connectors.user_id = excluded.user_id
                """,
                [
                    .uuid(id), .uuid(userID), .text(provider), .texts(scopes), .bytes(token.sealed),
                    .text(token.keyID), .integer(token.version), .time(now),
                ])
            guard changed == 1 else {
                throw AssistantStoreError(.conflict, "the connector was revoked while it was connected again")
            }
            try AuditEventStore.record(event, of: userID, now, session)
            // The consent may bring what a job has waited for.
            try JobStore.bringForward(of: userID, now, session)
            try JobStore.revive(of: userID, now, session)
        }
    }

    /// Returns the id for the next connection to a provider: that of the connector in use, or a new one.
    package func idForConnecting(_ userID: UUID, provider: String) async throws -> UUID {
        try await database.transaction(.reading) { session in
            try session.row(
                "SELECT id FROM connectors WHERE user_id = $1 AND provider = $2 AND status <> 'REVOKED'",
                [.uuid(userID), .text(provider)]
            )?.uuid("id") ?? UUID()
        }
    }

    /// Returns a user's connectors, the first connected first.
    package func connectors(of userID: UUID) async throws -> [StoredConnector] {
        try await database.transaction(.reading) { session in
            try session.rows("SELECT * FROM connectors WHERE user_id = $1 ORDER BY created_at, id", [.uuid(userID)])
                .map(Self.connector)
        }
    }

    package func connector(_ id: UUID, of userID: UUID) async throws -> StoredConnector? {
        try await database.transaction(.reading) { session in
            try session.row("SELECT * FROM connectors WHERE id = $1 AND user_id = $2", [.uuid(id), .uuid(userID)])
                .map(Self.connector)
        }
    }

    /// Moves a connector that is in use to another status, and records it. Its token goes with the revocation.
    ///
    /// - Parameter token: the token that the provider refused. Nothing changes when there is a newer one.
    /// - Returns: false when nothing changed.
    package func move(
        _ id: UUID, of userID: UUID, to status: StoredConnector.Status, unlessNewerThan token: [UInt8]? = nil,
        recording event: NewAuditEvent, at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            let revokes = status == .revoked
            let condition = token == nil ? "" : "AND refresh_token_ciphertext = $5"
            let changed = try session.change(
                """
                UPDATE connectors SET status = $1
                    \(revokes ? ", revoked_at = $2, refresh_token_ciphertext = \(Self.empty(session.dialect))" : "")
                WHERE id = $3 AND user_id = $4 AND status NOT IN ('REVOKED', $1) AND $2 IS NOT NULL \(condition)
                """,
                [.text(status.rawValue), .time(now), .uuid(id), .uuid(userID)] + (token.map { [.bytes($0)] } ?? []))
            if changed == 1 {
                try AuditEventStore.record(event, of: userID, now, session)
                if revokes {
                    try CalendarStateStore.remove(of: userID, session)
                    // What was read through the connection goes with it.
                    for table in ["mail_places", "mail_acquaintances", "alerts", "briefs", "held_notices"] {
                        _ = try session.change("DELETE FROM \(table) WHERE user_id = $1", [.uuid(userID)])
                    }
                }
            }
            return changed == 1
        }
    }

    /// Claims the one notice that tells a user to connect again.
    ///
    /// - Returns: false when the notice was claimed before, or the connector does not need it.
    package func claimReconnectNotice(_ id: UUID, of userID: UUID, at now: Date) async throws -> Bool {
        try await database.transaction(.writing) { session in
            try session.change(
                """
                UPDATE connectors SET reconnect_told_at = $1
                WHERE id = $2 AND user_id = $3 AND status = 'NEEDS_RECONNECT' AND reconnect_told_at IS NULL
                """, [.time(now), .uuid(id), .uuid(userID)]) == 1
        }
    }

    /// Gives the claim back: no device could be told.
    package func giveBackReconnectNotice(_ id: UUID, of userID: UUID) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                "UPDATE connectors SET reconnect_told_at = NULL WHERE id = $1 AND user_id = $2",
                [.uuid(id), .uuid(userID)])
        }
    }

    /// Returns connectors whose token is sealed under another key than the given one, for the rotation of keys.
    ///
    /// - Parameter id: the last connector of the part before; nil for the first part.
    package func sealed(
        underOtherThan keyID: String, version: Int, after id: UUID? = nil, atMost limit: Int
    ) async throws -> [StoredConnector] {
        try await database.transaction(.reading) { session in
            try session.rows(
                """
                SELECT * FROM connectors WHERE status <> 'REVOKED' AND (token_key_id <> $1 OR token_version <> $2)
                    \(id == nil ? "" : "AND id > $4")
                ORDER BY id LIMIT $3
                """, [.text(keyID), .integer(version), .integer(limit)] + (id.map { [.uuid($0)] } ?? [])
            ).map(Self.connector)
        }
    }

    /// Returns how many tokens are sealed under a key.
    package func count(under keyID: String, version: Int) async throws -> Int {
        try await database.transaction(.reading) { session in
            try session.rows(
                """
                SELECT COUNT(*) AS tokens FROM connectors
                WHERE status <> 'REVOKED' AND token_key_id = $1 AND token_version = $2
                """, [.text(keyID), .integer(version)]
            ).first?.integer("tokens") ?? 0
        }
    }

    /// Replaces a sealed token by the same token under another key, unless it has changed meanwhile.
    package func reseal(_ connector: StoredConnector, _ token: NewToken, at now: Date) async throws -> Bool {
        try await database.transaction(.writing) { session in
            try session.change(
                """
                UPDATE connectors SET refresh_token_ciphertext = $1, token_key_id = $2, token_version = $3,
                    token_rotated_at = $4
                WHERE id = $5 AND status <> 'REVOKED' AND refresh_token_ciphertext = $6
                """,
                [
                    .bytes(token.sealed), .text(token.keyID), .integer(token.version), .time(now),
                    .uuid(connector.id), .bytes(connector.sealedToken),
                ]) == 1
        }
    }

    private static func empty(_ dialect: SQLDialect) -> String { dialect == .postgres ? "''::bytea" : "x''" }

    private static func connector(_ row: SQLRow) throws -> StoredConnector {
        guard let status = StoredConnector.Status(rawValue: try row.text("status")) else {
            throw AssistantStoreError(.damaged, "a connector has an unknown status")
        }
        return StoredConnector(
            id: try row.uuid("id"), userID: try row.uuid("user_id"), provider: try row.text("provider"),
            scopes: try row.texts("scopes"), sealedToken: try row.bytes("refresh_token_ciphertext"),
            tokenKeyID: try row.text("token_key_id"), tokenVersion: try row.integer("token_version"),
            tokenRotatedAt: try row.time("token_rotated_at"), status: status, createdAt: try row.time("created_at"))
    }
}
