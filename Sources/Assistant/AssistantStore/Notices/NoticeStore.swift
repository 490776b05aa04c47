import Foundation

/// The tables of wishes about notices, and of notices that wait for the end of quiet hours.
enum NoticeSchema {
    static let sql = """
        CREATE TABLE notification_preferences (
            user_id UUID PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            show_details BOOLEAN NOT NULL,
            reminders_in_quiet_hours BOOLEAN NOT NULL,
            rules_off TEXT[] NOT NULL,
            senders_ciphertext BYTEA NULL,
            updated_at TIMESTAMPTZ NOT NULL
        );
        CREATE TABLE held_notices (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            collapse_digest BYTEA NOT NULL,
            notice_ciphertext BYTEA NOT NULL,
            held_at TIMESTAMPTZ NOT NULL,
            UNIQUE (user_id, collapse_digest)
        );
        CREATE TABLE held_releases (
            user_id UUID PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            release_at TIMESTAMPTZ NOT NULL
        );
        CREATE INDEX held_releases_by_time ON held_releases (release_at);

        """
}

/// A user as notices reach them.
package struct NoticeRecipient: Sendable, Hashable {
    package let preferences: Preferences
    package let notifications: StoredNotificationPreferences
    package let devices: [StoredDevice]
}

/// A notice that waits for the end of quiet hours. It is sealed.
package struct HeldNotice: Sendable, Hashable {
    package let id: UUID
    package let collapseDigest: [UInt8]
    package let sealed: [UInt8]
    package let heldAt: Date
}

/// The recipients of notices, and the notices that are held for them.
package struct NoticeStore: Sendable {
    let database: any SQLDatabase
    let recipients: GatheredCalls<UUID, NoticeRecipient?>

    /// - Returns: nil for a user who was deleted, or is about to be.
    package func recipient(_ userID: UUID) async throws -> NoticeRecipient? { try await recipients(userID) }

    /// Makes the reads of several recipients at once.
    static func recipients(_ database: any SQLDatabase) -> GatheredCalls<UUID, NoticeRecipient?> {
        GatheredCalls { userIDs in
            try await database.transaction(.reading) { session in
                let rows = try session.rows(
                    """
                    SELECT preferences.* FROM preferences JOIN users ON users.id = preferences.user_id
                    WHERE user_id IN (\(SQLLists.places(userIDs.count))) AND status = 'ACTIVE'
                    """, userIDs.map(SQLValue.uuid))
                let preferences = try Dictionary(
                    rows.map { (try $0.uuid("user_id"), try PreferenceStore.preferences($0)) }
                ) { $1 }
                let notifications = try NotificationPreferenceStore.preferences(of: userIDs, session)
                let devices = try DeviceStore.devices(of: userIDs, session)
                return userIDs.map { userID in
                    preferences[userID].map {
                        NoticeRecipient(
                            preferences: $0, notifications: notifications[userID] ?? StoredNotificationPreferences(),
                            devices: devices[userID] ?? [])
                    }
                }
            }
        }
    }

    /// Keeps a notice until a time. It replaces one with the same digest.
    ///
    /// - Returns: false when the user was deleted meanwhile.
    package func hold(
        _ sealed: [UInt8], collapseDigest: [UInt8], of userID: UUID, until end: Date, at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            guard
                try session.row(
                    "SELECT id FROM users WHERE id = $1 AND status = 'ACTIVE' \(session.dialect.keepingUnchanged)",
                    [.uuid(userID)]) != nil
            else { return false }
            _ = try session.change(
                """
                INSERT INTO held_notices (id, user_id, collapse_digest, notice_ciphertext, held_at)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (user_id, collapse_digest) DO UPDATE SET notice_ciphertext = excluded.notice_ciphertext
                """, [.uuid(UUID()), .uuid(userID), .bytes(collapseDigest), .bytes(sealed), .time(now)])
            _ = try session.change(
                """
                INSERT INTO held_releases (user_id, release_at) VALUES ($1, $2)
                ON CONFLICT (user_id) DO UPDATE SET release_at = excluded.release_at
                """, [.uuid(userID), .time(end)])
            return true
        }
    }

    /// Takes users whose held notices are due, the longest due first. No other worker gets them until `end`.
    package func takeDue(atMost limit: Int, until end: Date, at now: Date) async throws -> [UUID] {
        try await database.transaction(.writing) { session in
            try session.rows(
                """
                UPDATE held_releases SET release_at = $1 WHERE user_id IN (
                    SELECT user_id FROM held_releases WHERE release_at <= $2 ORDER BY release_at, user_id LIMIT $3
                    \(session.dialect.skippingLocked))
                RETURNING user_id
                """, [.time(end), .time(now), .integer(limit)]
            ).map { try $0.uuid("user_id") }
        }
    }

    /// Returns a user's held notices, the first held first.
    package func held(of userID: UUID) async throws -> [HeldNotice] {
        try await database.transaction(.reading) { session in
            try session.rows("SELECT * FROM held_notices WHERE user_id = $1 ORDER BY held_at, id", [.uuid(userID)]).map
            {
                row in
                HeldNotice(
                    id: try row.uuid("id"), collapseDigest: try row.bytes("collapse_digest"),
                    sealed: try row.bytes("notice_ciphertext"), heldAt: try row.time("held_at"))
            }
        }
    }

    /// Forgets held notices that were sent. Others that came meanwhile stay.
    package func forget(_ notices: [HeldNotice], of userID: UUID) async throws {
        try await database.transaction(.writing) { session in
            for notice in notices {
                // One that was replaced meanwhile is another one.
                _ = try session.change(
                    "DELETE FROM held_notices WHERE id = $1 AND notice_ciphertext = $2",
                    [.uuid(notice.id), .bytes(notice.sealed)])
            }
            _ = try session.change(
                """
                DELETE FROM held_releases WHERE user_id = $1
                    AND NOT EXISTS (SELECT 1 FROM held_notices WHERE held_notices.user_id = $1)
                """, [.uuid(userID)])
        }
    }

    /// Sets another time for a user's held notices.
    package func postpone(_ userID: UUID, until end: Date) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                "UPDATE held_releases SET release_at = $1 WHERE user_id = $2", [.time(end), .uuid(userID)])
        }
    }
}
