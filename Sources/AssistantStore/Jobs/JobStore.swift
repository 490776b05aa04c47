import Foundation

/// The tables of jobs and of requests to delete everything.
enum JobSchema {
    static let sql = """
        CREATE TABLE jobs (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            type TEXT NOT NULL,
            due_at TIMESTAMPTZ NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'DONE', 'FAILED')),
            payload_ciphertext BYTEA NULL,
            last_run_at TIMESTAMPTZ NULL,
            next_run_at TIMESTAMPTZ NULL,
            leased_until TIMESTAMPTZ NULL,
            lease UUID NULL
        );
        CREATE INDEX jobs_by_due ON jobs (state, due_at);
        CREATE INDEX jobs_by_user ON jobs (user_id);
        CREATE TABLE privacy_requests (
            id TEXT PRIMARY KEY NOT NULL,
            user_id UUID NULL,
            status TEXT NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
            created_at TIMESTAMPTZ NOT NULL,
            finished_at TIMESTAMPTZ NULL
        );
        CREATE UNIQUE INDEX privacy_requests_one_for_user ON privacy_requests (user_id);
        """
}

/// A job that a worker holds until its lease ends.
package struct LeasedJob: Sendable, Hashable {
    package let id: UUID
    package let userID: UUID
    package let type: String
    package let dueAt: Date
    package let sealedPayload: [UInt8]?
    /// Shows that the worker still holds the job.
    package let lease: UUID
}

/// Jobs with their times. A worker leases those that are due; a job whose worker died is free again after the lease.
package struct JobStore: Sendable {
    let database: any SQLDatabase

    package func add(_ type: String, of userID: UUID, due: Date, sealedPayload: [UInt8]? = nil) async throws -> UUID {
        let id = UUID()
        try await database.transaction(.writing) { session in
            _ = try session.change(
                """
                INSERT INTO jobs (id, user_id, type, due_at, state, payload_ciphertext, next_run_at)
                VALUES ($1, $2, $3, $4, 'PENDING', $5, $4)
                """, [.uuid(id), .uuid(userID), .text(type), .time(due), .optional(sealedPayload)])
        }
        return id
    }

    /// Leases jobs that are due, the longest due first. No two workers get the same one.
    package func lease(atMost limit: Int, until end: Date, at now: Date) async throws -> [LeasedJob] {
        let lease = UUID()
        return try await database.transaction(.writing) { session in
            try session.rows(
                """
                UPDATE jobs SET state = 'RUNNING', lease = $1, leased_until = $2, last_run_at = $3
                WHERE id IN (
                    SELECT id FROM jobs WHERE (state = 'PENDING' AND due_at <= $3)
                        OR (state = 'RUNNING' AND leased_until <= $3)
                    ORDER BY due_at, id LIMIT $4 \(session.dialect.skippingLocked))
                RETURNING id, user_id, type, due_at, payload_ciphertext
                """, [.uuid(lease), .time(end), .time(now), .integer(limit)]
            ).map { row in
                LeasedJob(
                    id: try row.uuid("id"), userID: try row.uuid("user_id"), type: try row.text("type"),
                    dueAt: try row.time("due_at"),
                    sealedPayload: try row.optional("payload_ciphertext") { row, name throws(AssistantStoreError) in
                        try row.bytes(name)
                    }, lease: lease)
            }.sorted { ($0.dueAt, $0.id.uuidString) < ($1.dueAt, $1.id.uuidString) }
        }
    }

    /// Ends a leased job, or sets its next time.
    ///
    /// - Parameter next: the next time at which it is due; nil when it is done.
    /// - Returns: false when the lease has passed to another worker.
    package func finish(_ job: LeasedJob, next: Date?) async throws -> Bool {
        try await database.transaction(.writing) { session in
            try session.change(
                """
                UPDATE jobs SET state = $1, due_at = coalesce($2, due_at), next_run_at = $2, lease = NULL,
                    leased_until = NULL
                WHERE id = $3 AND lease = $4
                """,
                [.text(next == nil ? "DONE" : "PENDING"), .optional(next), .uuid(job.id), .uuid(job.lease)]) == 1
        }
    }
}
