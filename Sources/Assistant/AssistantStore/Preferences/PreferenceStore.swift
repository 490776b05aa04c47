import Foundation

/// A user's wishes. The initial values are those of the specification (section 7.4).
package struct Preferences: Sendable, Hashable {
    /// The minutes before a meeting at which to remind, 0 to 1440.
    package var meetingReminderMinutes = 15
    /// Times of day as `HH:MM`.
    package var morningBriefLocalTime = "08:00"
    /// Quiet hours may pass midnight. Equal times turn them off.
    package var quietHoursStart = "22:00"
    package var quietHoursEnd = "07:00"
    package var highRiskRequiresConfirm = true
    /// A name of the IANA's time zone database.
    package var timeZone: String

    package init(timeZone: String) {
        self.timeZone = timeZone
    }
}

/// The preferences of users.
package struct PreferenceStore: Sendable {
    let database: any SQLDatabase
    let reads: GatheredCalls<UUID, Preferences?>

    package func preferences(of userID: UUID) async throws -> Preferences? { try await reads(userID) }

    /// Makes the reads of several users' preferences at once.
    static func reads(_ database: any SQLDatabase) -> GatheredCalls<UUID, Preferences?> {
        GatheredCalls { userIDs in
            try await database.transaction(.reading) { session in
                let found = try preferences(of: userIDs, session)
                return userIDs.map { found[$0] }
            }
        }
    }

    static func preferences(of userIDs: [UUID], _ session: any SQLSession) throws -> [UUID: Preferences] {
        let rows = try session.rows(
            "SELECT * FROM preferences WHERE user_id IN (\(SQLLists.places(userIDs.count)))",
            userIDs.map(SQLValue.uuid))
        return try Dictionary(rows.map { (try $0.uuid("user_id"), try preferences($0)) }) { $1 }
    }

    static func preferences(_ row: SQLRow) throws -> Preferences {
        var preferences = Preferences(timeZone: try row.text("time_zone"))
        preferences.meetingReminderMinutes = try row.integer("meeting_reminder_minutes")
        preferences.morningBriefLocalTime = try row.text("morning_brief_local_time")
        preferences.quietHoursStart = try row.text("quiet_hours_start")
        preferences.quietHoursEnd = try row.text("quiet_hours_end")
        preferences.highRiskRequiresConfirm = try row.bool("high_risk_requires_confirm")
        return preferences
    }

    /// Stores the preferences and records the change, in one transaction.
    ///
    /// - Parameter timeZone: nil to keep the stored one.
    /// - Returns: false when the user was deleted meanwhile; then nothing is recorded.
    package func put(
        _ preferences: Preferences, timeZone: String?, of userID: UUID, recording event: NewAuditEvent, at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            let changed = try session.change(
                """
                UPDATE preferences SET meeting_reminder_minutes = $1, morning_brief_local_time = $2,
                    quiet_hours_start = $3, quiet_hours_end = $4, high_risk_requires_confirm = $5,
                    time_zone = coalesce($6, time_zone), updated_at = $7
                WHERE user_id = $8
                """, Self.values(preferences) + [.optional(timeZone), .time(now), .uuid(userID)])
            guard changed == 1 else { return false }
            // The quiet hours for which notices are held may be others now.
            _ = try session.change(
                "UPDATE held_releases SET release_at = $1 WHERE user_id = $2 AND release_at > $1",
                [.time(now), .uuid(userID)])
            try AuditEventStore.record(event, of: userID, now, session)
            try JobStore.bringForward(of: userID, now, session)
            return true
        }
    }

    static func insert(_ preferences: Preferences, of userID: UUID, _ now: Date, _ session: any SQLSession) throws {
        _ = try session.change(
            """
            INSERT INTO preferences (meeting_reminder_minutes, morning_brief_local_time, quiet_hours_start,
                quiet_hours_end, high_risk_requires_confirm, time_zone, updated_at, user_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """, values(preferences) + [.text(preferences.timeZone), .time(now), .uuid(userID)])
    }

    private static func values(_ preferences: Preferences) -> [SQLValue] {
        [
            .integer(preferences.meetingReminderMinutes), .text(preferences.morningBriefLocalTime),
            .text(preferences.quietHoursStart), .text(preferences.quietHoursEnd),
            .bool(preferences.highRiskRequiresConfirm),
        ]
    }
}
