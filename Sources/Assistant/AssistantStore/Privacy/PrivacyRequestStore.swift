import Encodings
import Foundation

/// A user's request to delete everything.
package struct PrivacyRequest: Sendable, Hashable {
    package enum Status: String, Sendable, Hashable {
        case queued = "QUEUED"
        case running = "RUNNING"
        case done = "DONE"
        case failed = "FAILED"
    }

    package let id: String
    package let status: Status
}

/// A request that is to be performed.
package struct UnfinishedDeletion: Sendable, Hashable {
    package let id: String
    package let userID: UUID
    package let asked: Date

    package init(id: String, userID: UUID, asked: Date) {
        self.id = id
        self.userID = userID
        self.asked = asked
    }
}

/// Requests to delete everything. They outlive their user, without naming the user.
package struct PrivacyRequestStore: Sendable {
    let database: any SQLDatabase

    /// Accepts a request: the user can no longer sign in, and every session ends. A second request returns the first.
    ///
    /// - Parameter id: with 128 random bits, because it is all that one needs to ask for the status.
    package func accept(_ id: String, of userID: UUID, at now: Date) async throws -> PrivacyRequest {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                """
                INSERT INTO privacy_requests (id, user_id, status, created_at) VALUES ($1, $2, 'QUEUED', $3)
                ON CONFLICT (user_id) DO NOTHING
                """, [.text(id), .uuid(userID), .time(now)])
            _ = try session.change("UPDATE users SET status = 'DELETING' WHERE id = $1", [.uuid(userID)])
            try SessionStore.endAll(of: userID, now, session)
            try JobStore.cancelAll(of: userID, session)
            guard
                let row = try session.row(
                    "SELECT id, status FROM privacy_requests WHERE user_id = $1", [.uuid(userID)])
            else { throw AssistantStoreError(.damaged, "a request to delete everything is missing") }
            return try Self.request(row)
        }
    }

    package func request(_ id: String) async throws -> PrivacyRequest? {
        try await database.transaction(.reading) { session in
            try session.row("SELECT id, status FROM privacy_requests WHERE id = $1", [.text(id)]).map(Self.request)
        }
    }

    /// Returns the requests that are not finished, the oldest first, with their users. A request whose user's rows are
    /// deleted already, and whose files are not cleaned yet, has the user id zero.
    package func unfinished(atMost limit: Int) async throws -> [UnfinishedDeletion] {
        try await database.transaction(.reading) { session in
            try session.rows(
                """
                SELECT id, user_id, created_at FROM privacy_requests
                WHERE status IN ('QUEUED', 'RUNNING') ORDER BY created_at, id LIMIT $1
                """, [.integer(limit)]
            ).map { row in
                let user = try row.optional("user_id") { row, name throws(AssistantStoreError) in try row.uuid(name) }
                return UnfinishedDeletion(
                    id: try row.text("id"), userID: user ?? Self.noUser, asked: try row.time("created_at"))
            }
        }
    }

    package func begin(_ id: String) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                "UPDATE privacy_requests SET status = 'RUNNING' WHERE id = $1 AND status = 'QUEUED'", [.text(id)])
        }
    }

    /// Deletes everything of a user, also from the database's files, and writes the final record. Only then is the request
    /// `DONE`.
    ///
    /// - Parameter isRevoked: false when a consent could not be ended at its provider. The request has then failed, though
    ///   everything is deleted here.
    /// - Returns: false when another process has done it.
    /// - Throws: ``AssistantStoreError``. After a failure this can be called again.
    package func finish(_ deletion: UnfinishedDeletion, isRevoked: Bool, at now: Date) async throws -> Bool {
        guard try await deleteRows(deletion, isRevoked: isRevoked, at: now) else { return false }
        try await database.eraseDeleted()
        guard isRevoked else { return true }
        return try await database.transaction(.writing) { session in
            try session.change(
                "UPDATE privacy_requests SET status = 'DONE' WHERE id = $1 AND status = 'RUNNING'",
                [.text(deletion.id)]) == 1
        }
    }

    /// Deletes every row of a user in one transaction, with the final record. The record names the request and not the user:
    /// its user id is zero.
    ///
    /// - Returns: false when the request is finished.
    private func deleteRows(_ deletion: UnfinishedDeletion, isRevoked: Bool, at now: Date) async throws -> Bool {
        try await database.transaction(.writing) { session in
            let taken = try session.change(
                """
                UPDATE privacy_requests SET status = $1, user_id = NULL, finished_at = $2
                WHERE id = $3 AND status IN ('QUEUED', 'RUNNING') AND user_id IS NOT NULL
                """, [.text(isRevoked ? "RUNNING" : "FAILED"), .time(now), .text(deletion.id)])
            guard taken == 1 else {
                // Deleted by a process that ended before the files were clean, or by another one that is at it.
                return try session.row(
                    "SELECT 1 AS found FROM privacy_requests WHERE id = $1 AND status = 'RUNNING'",
                    [.text(deletion.id)]) != nil
            }
            // First: this waits for transactions that hold the user's row, so what they recorded is seen below. Identities,
            // passkeys and refresh tokens of sessions go with their rows (ON DELETE CASCADE).
            _ = try session.change("DELETE FROM users WHERE id = $1", [.uuid(deletion.userID)])
            for table in Self.tables {
                _ = try session.change("DELETE FROM \(table) WHERE user_id = $1", [.uuid(deletion.userID)])
            }
            try AuditEventStore.record(
                NewAuditEvent(
                    "DELETE_ALL", result: isRevoked ? "SUCCESS" : "FAILURE",
                    metadata: ["request_id": .string("del_\(deletion.id)"), "revoked_at_provider": .bool(isRevoked)]),
                of: Self.noUser, now, session)
            return true
        }
    }

    /// The user id of final records.
    package static let noUser = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private static let tables = [
        "consents", "connectors", "jobs", "calendar_states", "held_notices", "held_releases", "devices",
        "notification_preferences", "preferences", "sessions", "audit_events", "audit_chains",
        "briefs", "mail_places", "mail_acquaintances", "alerts", "confirmations",
    ]

    private static func request(_ row: SQLRow) throws -> PrivacyRequest {
        guard let status = PrivacyRequest.Status(rawValue: try row.text("status")) else {
            throw AssistantStoreError(.damaged, "a request to delete everything has an unknown status")
        }
        return PrivacyRequest(id: try row.text("id"), status: status)
    }
}
