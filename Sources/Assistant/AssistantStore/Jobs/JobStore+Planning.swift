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
    /// - Parameters:
    ///   - seconds: only users who have connected within this time, which is quick; nil for all.
    ///   - last: the last user of the part before, so that many users are looked through once.
    package func usersWithout(
        _ type: String, connectedWithin seconds: TimeInterval? = nil, after last: UUID? = nil, atMost limit: Int,
        at now: Date? = nil
    ) async throws -> [UUID] {
        try await database.transaction(.reading) { session in
            let now = try session.time(now)
            let aside = now.addingTimeInterval(-Self.setAsideTime)
            // No user has the least UUID, which is not random.
            let last = last ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            return try session.rows(
                """
                SELECT DISTINCT user_id FROM connectors WHERE status = 'ACTIVE' AND user_id > $5
                    \(seconds == nil ? "" : "AND token_rotated_at >= $6")
                    AND EXISTS (SELECT 1 FROM users WHERE id = connectors.user_id AND status = 'ACTIVE')
                    AND NOT EXISTS (
                        SELECT 1 FROM jobs WHERE jobs.user_id = connectors.user_id AND type = $1 AND subject = $2
                            AND (state IN ('PENDING', 'RUNNING') OR (state = 'FAILED' AND last_run_at > $3)))
                ORDER BY user_id LIMIT $4
                """,
                [.text(type), .bytes([]), .time(aside), .integer(limit), .uuid(last)]
                    + (seconds.map { [.time(now.addingTimeInterval(-$0))] } ?? [])
            ).map { try $0.uuid("user_id") }
        }
    }

    /// Plans a periodic job for users who have none that is pending or running. One that ended is begun again.
    package func begin(_ type: String, _ dues: [(userID: UUID, due: Date)]) async throws -> Int {
        guard !dues.isEmpty else { return 0 }
        return try await database.transaction(.writing) { session in
            var count = 0
            for (userID, due) in dues where try Self.isActive(userID, session) {
                count += try session.change(
                    Self.insertion(1) + " WHERE jobs.state IN ('DONE', 'FAILED', 'CANCELLED')",
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
        try plan([job], of: userID, session) == 1
    }

    /// Plans several jobs of different subjects.
    ///
    /// - Returns: how many were new, or moved to another time.
    static func plan(_ jobs: [PlannedJob], of userID: UUID, _ session: any SQLSession) throws -> Int {
        // One order for all transactions, so that two of them do not wait for each other.
        let jobs = jobs.sorted { $0.subject.lexicographicallyPrecedes($1.subject) }
        return try stride(from: 0, to: jobs.count, by: mostInStatement).reduce(0) { count, start in
            let part = jobs[start..<min(start + mostInStatement, jobs.count)]
            return try count
                + session.change(
                    insertion(part.count) + """
                         WHERE jobs.state = 'CANCELLED' OR (jobs.state = 'PENDING' AND jobs.due_at <> excluded.due_at)
                        """, part.flatMap { values($0, userID) })
        }
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

    /// The most jobs that one statement plans.
    private static let mostInStatement = 200

    private static func insertion(_ count: Int) -> String {
        let rows = (0..<count).map { row in
            let place = (1...6).map { "$\(row * 6 + $0)" }
            return """
                (\(place[0]), \(place[1]), \(place[2]), \(place[3]), \(place[4]), 'PENDING', \(place[5]), \(place[4]), 0, 0)
                """
        }
        return """
            INSERT INTO jobs
                (id, user_id, type, subject, due_at, state, payload_ciphertext, next_run_at, attempts, strikes)
            VALUES \(rows.joined(separator: ", "))
            ON CONFLICT (user_id, type, subject) DO UPDATE SET due_at = excluded.due_at, state = 'PENDING',
                payload_ciphertext = excluded.payload_ciphertext, next_run_at = excluded.next_run_at, attempts = 0,
                strikes = 0
            """
    }

    private static func values(_ job: PlannedJob, _ userID: UUID) -> [SQLValue] {
        [
            .uuid(UUID()), .uuid(userID), .text(job.type), .bytes(job.subject), .time(job.due),
            .optional(job.sealedPayload),
        ]
    }
}
