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
