import Foundation

/// A user's records that no other store reads, for the user's own export.
package struct PersonalRecord: Sendable, Hashable {
    package struct Session: Sendable, Hashable {
        package let deviceID: String
        package let createdAt: Date
        package let endedAt: Date?
    }

    package struct Job: Sendable, Hashable {
        package let type: String
        package let state: String
        package let dueAt: Date
    }

    package let createdAt: Date
    package let passkeys: [Date]
    package let sessions: [Session]
    package let jobs: [Job]
    /// Briefs that wait to be read, by their ends.
    package let briefs: [Date]
    /// The number of people and conversations to which the user has written; only their digests are kept.
    package let acquaintances: Int
}

/// Reads a user's records for the export.
package struct PersonalDataStore: Sendable {
    let database: any SQLDatabase

    /// - Returns: nil when the user is gone.
    package func record(of userID: UUID) async throws -> PersonalRecord? {
        try await database.transaction(.reading) { session in
            guard let user = try session.row("SELECT created_at FROM users WHERE id = $1", [.uuid(userID)]) else {
                return nil
            }
            func rows(_ sql: String) throws -> [SQLRow] { try session.rows(sql, [.uuid(userID)]) }
            let count = try rows("SELECT count(*) AS count FROM mail_acquaintances WHERE user_id = $1")
            return PersonalRecord(
                createdAt: try user.time("created_at"),
                passkeys: try rows("SELECT created_at FROM passkeys WHERE user_id = $1 ORDER BY created_at").map {
                    try $0.time("created_at")
                },
                sessions: try rows("SELECT * FROM sessions WHERE user_id = $1 ORDER BY created_at, id").map { row in
                    PersonalRecord.Session(
                        deviceID: try row.text("device_id"), createdAt: try row.time("created_at"),
                        endedAt: try row.optional("ended_at") { row, name throws(AssistantStoreError) in
                            try row.time(name)
                        })
                },
                jobs: try rows("SELECT type, state, due_at FROM jobs WHERE user_id = $1 ORDER BY due_at, id").map {
                    PersonalRecord.Job(
                        type: try $0.text("type"), state: try $0.text("state"), dueAt: try $0.time("due_at"))
                },
                briefs: try rows(
                    "SELECT expires_at FROM briefs WHERE user_id = $1 AND fetched_at IS NULL ORDER BY expires_at"
                ).map { try $0.time("expires_at") }, acquaintances: try count.first?.integer("count") ?? 0)
        }
    }
}
