import AssistantProcesses
import Foundation

@testable import AssistantJobs
@testable import AssistantStore

extension ReminderStage {
    /// The users that one transaction makes.
    private static let together = 500

    /// Makes many connected users. Their leads and zones go round.
    func users(_ count: Int, leads: [Int] = [15], zones: [String] = ["Europe/Vienna"]) async throws -> [UUID] {
        let users = (0..<count).map { number in
            (id: UUID(), lead: leads[number % leads.count], zone: zones[number % zones.count])
        }
        let now = now
        for start in stride(from: 0, to: count, by: Self.together) {
            let part = users[start..<min(start + Self.together, count)].map { user in
                (id: user.id, lead: user.lead, zone: user.zone, connector: calendars.connector(of: user.id))
            }
            try await database.driver.transaction(.writing) { session in
                for user in part {
                    guard try UserStore.insert(user.id, .open, user.zone, now, session) else { continue }
                    _ = try session.change(
                        "UPDATE preferences SET meeting_reminder_minutes = $1 WHERE user_id = $2",
                        [.integer(user.lead), .uuid(user.id)])
                    _ = try session.change(
                        """
                        INSERT INTO connectors (id, user_id, provider, scopes, refresh_token_ciphertext, token_key_id,
                            token_rotated_at, status, created_at)
                        VALUES ($1, $2, 'google', $3, $4, 'mk', $5, 'ACTIVE', $5)
                        """,
                        [
                            .uuid(user.connector), .uuid(user.id), .texts(["calendar.readonly"]), .bytes([1]),
                            .time(now),
                        ])
                }
            }
        }
        return users.map(\.id)
    }

    /// Plans one reminder for each user, and the next look at the calendars for later, as looks do.
    func planReminders(of users: [UUID], meeting: Date, lead: Int, nextLook: Date) async throws {
        let now = now
        for start in stride(from: 0, to: users.count, by: Self.together) {
            let part = try users[start..<min(start + Self.together, users.count)].map { user in
                let reminder = Reminder(calendar: CalendarClient.primary, event: "m", start: meeting, planned: now)
                return (
                    user,
                    [
                        PlannedJob(
                            CalendarStateStore.reminder, about: keys.digest(user.uuidString, for: "reminder"),
                            due: reminder.due(lead: lead), sealedPayload: try reminder.sealed(keys, of: user)),
                        PlannedJob("CALENDAR_SYNC", due: nextLook), PlannedJob("MORNING_BRIEF", due: nextLook),
                    ]
                )
            }
            try await database.driver.transaction(.writing) { session in
                for (user, jobs) in part {
                    for job in jobs { _ = try JobStore.plan(job, of: user, session) }
                }
            }
        }
    }

    /// True while a reminder is due or being sent.
    var isReminding: Bool {
        get async throws {
            let counts = try await database.jobs.counts()["MEETING_REMINDER"] ?? [:]
            return counts["PENDING"] != nil || counts["RUNNING"] != nil
        }
    }

    /// Lets PostgreSQL count its rows, as it does by itself within a minute of such a change.
    func countRows() async throws {
        guard database.driver.dialect == .postgres else { return }
        try await database.driver.transaction(.writing) { try $0.runScript("ANALYZE") }
    }
}
