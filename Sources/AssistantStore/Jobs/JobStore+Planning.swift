import Foundation

extension JobStore {
    /// The time for which a periodic job that was set aside stays so.
    private static let setAsideTime: TimeInterval = 86_400

    /// Plans a job, or moves one that has not run yet to another time. One that is running, done or set aside stays.
    ///
    /// - Returns: false when nothing changed, or the user's deletion has begun.
    package func plan(_ job: PlannedJob, of userID: UUID) async throws -> Bool {
        try await database.transaction(.writing) { session in
            guard try Self.isActive(userID, session) else { return false }
            return try Self.plan(job, of: userID, session)
        }
    }

    /// Returns active users with a connection in use, and without a periodic job of a type.
    ///
    /// - Parameter seconds: only users who have connected within this time, which is quick; nil for all.
    package func usersWithout(
        _ type: String, connectedWithin seconds: TimeInterval? = nil, atMost limit: Int, at now: Date? = nil
    ) async throws -> [UUID] {
        try await database.transaction(.reading) { session in
            let now = try session.time(now)
            let aside = now.addingTimeInterval(-Self.setAsideTime)
            return try session.rows(
                """
                SELECT DISTINCT user_id FROM connectors WHERE status = 'ACTIVE'
                    \(seconds == nil ? "" : "AND token_rotated_at >= $5")
                    AND EXISTS (SELECT 1 FROM users WHERE id = connectors.user_id AND status = 'ACTIVE')
                    AND NOT EXISTS (
                        SELECT 1 FROM jobs WHERE jobs.user_id = connectors.user_id AND type = $1 AND subject = $2
                            AND (state IN ('PENDING', 'RUNNING') OR (state = 'FAILED' AND last_run_at > $3)))
                LIMIT $4
                """,
                [.text(type), .bytes([]), .time(aside), .integer(limit)]
                    + (seconds.map { [.time(now.addingTimeInterval(-$0))] } ?? [])
            ).map { try $0.uuid("user_id") }
        }
    }

    /// Plans a periodic job for users who have none that is pending or running. One that ended is begun again.
    package func begin(_ type: String, _ dues: [(userID: UUID, due: Date)]) async throws -> Int {
        try await database.transaction(.writing) { session in
            var count = 0
            for (userID, due) in dues where try Self.isActive(userID, session) {
                count += try session.change(
                    Self.insertion + " WHERE jobs.state IN ('DONE', 'FAILED', 'CANCELLED')",
                    Self.values(PlannedJob(type, due: due), userID))
            }
            return count
        }
    }

    // MARK: In the caller's transaction

    /// Tells whether the user is there and stays; a deletion that begins after this waits for the transaction.
    static func isActive(_ userID: UUID, _ session: any SQLSession) throws -> Bool {
        try session.row(
            "SELECT id FROM users WHERE id = $1 AND status = 'ACTIVE' \(session.dialect.keepingUnchanged)",
            [.uuid(userID)]) != nil
    }

    static func plan(_ job: PlannedJob, of userID: UUID, _ session: any SQLSession) throws -> Bool {
        try session.change(
            insertion + """
                 WHERE jobs.state = 'CANCELLED' OR (jobs.state = 'PENDING' AND jobs.due_at <> excluded.due_at)
                """, values(job, userID)) == 1
    }

    /// Cancels the jobs of a type that have not run yet, except those about some subjects.
    static func cancel(
        _ type: String, of userID: UUID, except subjects: [[UInt8]], _ session: any SQLSession
    ) throws -> Int {
        let places = subjects.indices.map { "$\($0 + 3)" }.joined(separator: ", ")
        return try session.change(
            """
            UPDATE jobs SET state = 'CANCELLED', next_run_at = NULL
            WHERE user_id = $1 AND type = $2 AND state = 'PENDING'
                \(subjects.isEmpty ? "" : "AND subject NOT IN (\(places))")
            """, [.uuid(userID), .text(type)] + subjects.map(SQLValue.bytes))
    }

    /// Cancels every job of a user. One that is running ends without effect on its row.
    static func cancelAll(of userID: UUID, _ session: any SQLSession) throws {
        _ = try session.change(
            """
            UPDATE jobs SET state = 'CANCELLED', next_run_at = NULL, lease = NULL, leased_until = NULL
            WHERE user_id = $1 AND state IN ('PENDING', 'RUNNING')
            """, [.uuid(userID)])
    }

    /// Lets the user's pending periodic jobs run now: what they depend on has changed, and they look again. A job that
    /// comes too early for what it does answers with its right time.
    static func bringForward(of userID: UUID, _ now: Date, _ session: any SQLSession) throws {
        _ = try session.change(
            """
            UPDATE jobs SET next_run_at = $1
            WHERE user_id = $2 AND state = 'PENDING' AND subject = $3 AND next_run_at > $1
            """, [.time(now), .uuid(userID), .bytes([])])
    }

    /// Lets periodic jobs run again that were set aside: a new consent may have ended their trouble.
    static func revive(of userID: UUID, _ now: Date, _ session: any SQLSession) throws {
        _ = try session.change(
            """
            UPDATE jobs SET state = 'PENDING', next_run_at = $1, attempts = 0, strikes = 0
            WHERE user_id = $2 AND state = 'FAILED' AND subject = $3
            """, [.time(now), .uuid(userID), .bytes([])])
    }

    private static let insertion = """
        INSERT INTO jobs
            (id, user_id, type, subject, due_at, state, payload_ciphertext, next_run_at, attempts, strikes)
        VALUES ($1, $2, $3, $4, $5, 'PENDING', $6, $5, 0, 0)
        ON CONFLICT (user_id, type, subject) DO UPDATE SET due_at = excluded.due_at, state = 'PENDING',
            payload_ciphertext = excluded.payload_ciphertext, next_run_at = excluded.next_run_at, attempts = 0,
            strikes = 0
        """

    private static func values(_ job: PlannedJob, _ userID: UUID) -> [SQLValue] {
        [
            .uuid(UUID()), .uuid(userID), .text(job.type), .bytes(job.subject), .time(job.due),
            .optional(job.sealedPayload),
        ]
    }
}
