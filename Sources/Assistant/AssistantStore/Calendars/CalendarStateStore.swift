import Foundation

/// A user's calendar as the last look left it, with the user's preferences.
package struct StoredCalendar: Sendable, Hashable {
    package let preferences: Preferences
    /// Nil before the first look.
    package let sealedState: [UInt8]?
}

/// The sealed memory of users' calendars: how far they were read, and the times of the next meetings.
package struct CalendarStateStore: Sendable {
    /// The type of reminders among the jobs (specification, section 8.1).
    package static let reminder = "MEETING_REMINDER"

    let database: any SQLDatabase
    let reads: GatheredCalls<UUID, StoredCalendar?>

    package func sealedState(of userID: UUID) async throws -> [UInt8]? {
        try await database.transaction(.reading) { session in
            try session.row("SELECT state_ciphertext FROM calendar_states WHERE user_id = $1", [.uuid(userID)])?
                .bytes("state_ciphertext")
        }
    }

    /// Returns what a look begins with.
    ///
    /// - Returns: nil for a user who was deleted.
    package func calendar(of userID: UUID) async throws -> StoredCalendar? { try await reads(userID) }

    /// Makes the reads of several users' calendars at once.
    static func reads(_ database: any SQLDatabase) -> GatheredCalls<UUID, StoredCalendar?> {
        // A calendar's state can have some megabytes.
        GatheredCalls(atMost: 64) { userIDs in
            try await database.transaction(.reading) { session in
                // One statement: each look at a calendar begins with this.
                let rows = try session.rows(
                    """
                    SELECT preferences.*, state_ciphertext FROM preferences
                        LEFT JOIN calendar_states ON calendar_states.user_id = preferences.user_id
                    WHERE preferences.user_id IN (\(SQLLists.places(userIDs.count)))
                    """, userIDs.map(SQLValue.uuid))
                let found = try Dictionary(rows.map { (try $0.uuid("user_id"), try calendar($0)) }) { $1 }
                return userIDs.map { found[$0] }
            }
        }
    }

    private static func calendar(_ row: SQLRow) throws -> StoredCalendar {
        StoredCalendar(
            preferences: try PreferenceStore.preferences(row),
            sealedState: try row.optional("state_ciphertext") { row, name throws(AssistantStoreError) in
                try row.bytes(name)
            })
    }

    /// Stores what was read, and plans the reminders that follow from it, in one transaction. Other reminders that have not
    /// run yet are cancelled.
    ///
    /// - Parameters:
    ///   - subjects: reminders that stay if they are there.
    ///   - connector: the connection that was read. Nothing is stored once it has ended.
    /// - Returns: false when it has ended, or the user's deletion has begun.
    package func put(
        _ sealedState: [UInt8], planning reminders: [PlannedJob], keeping subjects: [[UInt8]], of userID: UUID,
        from connector: UUID, at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            guard try JobStore.isActive(userID, session),
                try session.row(
                    """
                    SELECT id FROM connectors WHERE id = $1 AND user_id = $2 AND status <> 'REVOKED'
                    \(session.dialect.keepingUnchanged)
                    """, [.uuid(connector), .uuid(userID)]) != nil
            else { return false }
            _ = try session.change(
                """
                INSERT INTO calendar_states (user_id, state_ciphertext, updated_at) VALUES ($1, $2, $3)
                ON CONFLICT (user_id) DO UPDATE SET state_ciphertext = excluded.state_ciphertext,
                    updated_at = excluded.updated_at
                """, [.uuid(userID), .bytes(sealedState), .time(now)])
            _ = try JobStore.plan(reminders, of: userID, session)
            _ = try JobStore.cancel(
                Self.reminder, of: userID, except: reminders.map(\.subject) + subjects, session)
            return true
        }
    }

    /// Forgets what was read, and cancels what follows from it, in the caller's transaction.
    static func remove(of userID: UUID, _ session: any SQLSession) throws {
        _ = try session.change("DELETE FROM calendar_states WHERE user_id = $1", [.uuid(userID)])
        _ = try JobStore.cancel(reminder, of: userID, except: [], session)
    }
}
