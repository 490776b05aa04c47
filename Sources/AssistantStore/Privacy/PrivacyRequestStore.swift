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

    private static func request(_ row: SQLRow) throws -> PrivacyRequest {
        guard let status = PrivacyRequest.Status(rawValue: try row.text("status")) else {
            throw AssistantStoreError(.damaged, "a request to delete everything has an unknown status")
        }
        return PrivacyRequest(id: try row.text("id"), status: status)
    }
}
