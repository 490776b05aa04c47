import Foundation

/// Jobs with their times. A worker leases those that are due; a job whose worker died is free again after the lease.
///
/// `next_run_at` is the time from which a job can be leased: of one that is leased, the end of its lease; of one that has
/// ended, none. One index on it finds the few due jobs among all.
///
/// Times are the database's own unless a test gives one: the clocks of workers on several machines may differ.
package struct JobStore: Sendable {
    let database: any SQLDatabase

    /// Leases jobs of one type that are due, the longest due first. No two workers get the same one, and of one user one
    /// job of a type is leased at a time, so that a user with many jobs holds no other user up.
    package func lease(
        _ type: String, atMost limit: Int, for seconds: TimeInterval, at now: Date? = nil
    ) async throws -> [LeasedJob] {
        let lease = UUID()
        return try await database.transaction(.writing) { session in
            let now = try session.time(now)
            return try session.rows(
                """
                UPDATE jobs SET state = 'RUNNING', lease = $1, leased_until = $2, next_run_at = $2, last_run_at = $3,
                    attempts = attempts + 1, strikes = strikes + 1
                WHERE id IN (
                    SELECT id FROM jobs AS free WHERE type = $4 AND next_run_at <= $3
                        AND NOT EXISTS (
                            SELECT 1 FROM jobs AS other
                            WHERE other.user_id = free.user_id AND other.type = free.type AND other.id <> free.id
                                AND other.state IN ('PENDING', 'RUNNING')
                                AND (coalesce(other.leased_until > $3, FALSE)
                                    OR (other.next_run_at, other.id) < (free.next_run_at, free.id)))
                    ORDER BY next_run_at LIMIT $5 \(session.dialect.skippingLocked))
                RETURNING id, user_id, type, subject, due_at, payload_ciphertext, attempts, strikes
                """,
                [
                    .uuid(lease), .time(now.addingTimeInterval(seconds)), .time(now), .text(type), .integer(limit),
                ]
            ).map { try LeasedJob($0, lease: lease) }.sorted {
                ($0.dueAt, $0.id.uuidString) < ($1.dueAt, $1.id.uuidString)
            }
        }
    }

    /// Extends the leases of jobs that are still running.
    ///
    /// - Returns: those that this worker still holds. The others have passed to another worker, or are gone.
    package func renew(
        _ jobs: [LeasedJob], for seconds: TimeInterval, at now: Date? = nil
    ) async throws -> Set<LeasedJob> {
        guard !jobs.isEmpty else { return [] }
        return try await database.transaction(.writing) { session in
            let end = try session.time(now).addingTimeInterval(seconds)
            var held: Set<LeasedJob> = []
            // One order for all transactions, so that two workers do not wait for each other.
            for job in jobs.sorted(by: { $0.id.uuidString < $1.id.uuidString }) {
                let changed = try session.change(
                    """
                    UPDATE jobs SET leased_until = $1, next_run_at = $1
                    WHERE id = $2 AND lease = $3 AND state = 'RUNNING'
                    """,
                    [.time(end), .uuid(job.id), .uuid(job.lease)])
                if changed == 1 { held.insert(job) }
            }
            return held
        }
    }

    /// Ends runs of leased jobs, in one transaction.
    ///
    /// - Returns: for each, false when the lease has passed to another worker or the job is gone. It then counts for
    ///   nothing.
    package func end(_ runs: [(job: LeasedJob, outcome: JobOutcome)], at now: Date? = nil) async throws -> [Bool] {
        try await database.transaction(.writing) { session in
            let now = try session.time(now)
            // One order for all transactions, so that two workers do not wait for each other.
            let order = runs.indices.sorted { runs[$0].job.id.uuidString < runs[$1].job.id.uuidString }
            var counts = [Bool](repeating: false, count: runs.count)
            for index in order { counts[index] = try Self.end(runs[index].job, runs[index].outcome, now, session) }
            return counts
        }
    }

    package func end(_ job: LeasedJob, _ outcome: JobOutcome, at now: Date? = nil) async throws -> Bool {
        try await end([(job, outcome)], at: now).first ?? false
    }

    /// The condition that the user's wishes or connection have changed since a job began: it looks again at once.
    private static let wishesChanged = """
        EXISTS (SELECT 1 FROM preferences
            WHERE preferences.user_id = jobs.user_id AND preferences.updated_at > jobs.last_run_at)
        OR EXISTS (SELECT 1 FROM connectors
            WHERE connectors.user_id = jobs.user_id AND connectors.token_rotated_at > jobs.last_run_at)
        """

    private static func end(
        _ job: LeasedJob, _ outcome: JobOutcome, _ now: Date, _ session: any SQLSession
    ) throws -> Bool {
        let change: (sql: String, values: [SQLValue]) =
            switch outcome {
            case .done: ("state = 'DONE', next_run_at = NULL, attempts = 0, strikes = 0", [])
            case .due(let time):
                (
                    """
                    state = 'PENDING', due_at = $3, attempts = 0, strikes = 0, next_run_at = CASE
                        WHEN length(subject) = 0 AND (\(wishesChanged)) THEN $4 ELSE $3 END
                    """, [.time(time), .time(now)]
                )
            case .again(let time, let isStrike):
                ("state = 'PENDING', next_run_at = $3\(isStrike ? "" : ", strikes = 0")", [.time(time)])
            case .setAside: ("state = 'FAILED', next_run_at = NULL", [])
            }
        let changed = try session.change(
            """
            UPDATE jobs SET lease = NULL, leased_until = NULL, \(change.sql)
            WHERE id = $1 AND lease = $2 AND state = 'RUNNING'
            """, [.uuid(job.id), .uuid(job.lease)] + change.values)
        guard changed == 1 else { return false }
        // The job's row is locked by now, and goes with its user: the user is still there.
        if case .setAside(let event) = outcome { try AuditEventStore.record(event, of: job.userID, now, session) }
        return true
    }

    /// Removes jobs that ended, and were due before a time.
    package func removeEnded(before end: Date) async throws -> Int {
        try await database.transaction(.writing) { session in
            try session.change(
                "DELETE FROM jobs WHERE state IN ('DONE', 'FAILED', 'CANCELLED') AND due_at < $1 AND length(subject) > 0",
                [.time(end)])
        }
    }

    /// Counts jobs by type and state.
    package func counts() async throws -> [String: [String: Int]] {
        try await database.transaction(.reading) { session in
            var counts: [String: [String: Int]] = [:]
            for row in try session.rows("SELECT type, state, count(*) AS count FROM jobs GROUP BY type, state", []) {
                counts[try row.text("type"), default: [:]][try row.text("state")] = try row.integer("count")
            }
            return counts
        }
    }
}
