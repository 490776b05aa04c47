import Foundation

/// A user's wishes about notices. The senders are sealed.
package struct StoredNotificationPreferences: Sendable, Hashable {
    /// True if notices may name senders, subjects and meetings.
    package var showsDetails = false
    /// True if reminders of meetings within quiet hours are sent and not held.
    package var remindsInQuietHours = false
    /// The rules for urgent mail that the user has turned off, by name.
    package var rulesTurnedOff: [String] = []
    /// Nil when no sender is marked.
    package var sealedSenders: [UInt8]?

    package init() {}
}

/// The users' wishes about notices. A user who has none stored has the initial ones.
package struct NotificationPreferenceStore: Sendable {
    let database: any SQLDatabase

    package func preferences(of userID: UUID) async throws -> StoredNotificationPreferences {
        try await database.transaction(.reading) { try Self.preferences(of: userID, $0) }
    }

    static func preferences(of userID: UUID, _ session: any SQLSession) throws -> StoredNotificationPreferences {
        try preferences(of: [userID], session)[userID] ?? StoredNotificationPreferences()
    }

    /// - Returns: nothing for users who have none stored.
    static func preferences(of userIDs: [UUID], _ session: any SQLSession) throws
        -> [UUID: StoredNotificationPreferences]
    {
        let rows = try session.rows(
            "SELECT * FROM notification_preferences WHERE user_id IN (\(SQLLists.places(userIDs.count)))",
            userIDs.map(SQLValue.uuid))
        return try Dictionary(rows.map { (try $0.uuid("user_id"), try preferences($0)) }) { $1 }
    }

    private static func preferences(_ row: SQLRow) throws -> StoredNotificationPreferences {
        var preferences = StoredNotificationPreferences()
        preferences.showsDetails = try row.bool("show_details")
        preferences.remindsInQuietHours = try row.bool("reminders_in_quiet_hours")
        preferences.rulesTurnedOff = try row.texts("rules_off")
        preferences.sealedSenders = try row.optional("senders_ciphertext") { row, name throws(AssistantStoreError) in
            try row.bytes(name)
        }
        return preferences
    }

    /// Changes the preferences and records the change, in one transaction.
    ///
    /// - Parameter change: gets the stored ones; what it throws ends the transaction.
    /// - Returns: false when the user was deleted meanwhile; then nothing is recorded.
    package func change(
        of userID: UUID, recording event: NewAuditEvent, at now: Date,
        _ change: @escaping @Sendable (inout StoredNotificationPreferences) throws -> Void
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            // The user's row is locked, so that two changes follow each other.
            let lock = session.dialect == .postgres ? "FOR UPDATE" : ""
            guard
                try session.row("SELECT id FROM users WHERE id = $1 AND status = 'ACTIVE' \(lock)", [.uuid(userID)])
                    != nil
            else { return false }
            var preferences = try Self.preferences(of: userID, session)
            try change(&preferences)
            _ = try session.change(
                """
                INSERT INTO notification_preferences (user_id, show_details, reminders_in_quiet_hours, rules_off,
                    senders_ciphertext, updated_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (user_id) DO UPDATE SET show_details = excluded.show_details,
                    reminders_in_quiet_hours = excluded.reminders_in_quiet_hours, rules_off = excluded.rules_off,
                    senders_ciphertext = excluded.senders_ciphertext, updated_at = excluded.updated_at
                """,
                [
                    .uuid(userID), .bool(preferences.showsDetails), .bool(preferences.remindsInQuietHours),
                    .texts(preferences.rulesTurnedOff), .optional(preferences.sealedSenders), .time(now),
                ])
            try AuditEventStore.record(event, of: userID, now, session)
            return true
        }
    }
}
