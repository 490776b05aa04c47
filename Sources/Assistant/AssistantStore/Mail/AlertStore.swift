import Foundation

/// An alert of an urgent message. The message's sender and subject are sealed.
package struct StoredAlert: Sendable, Hashable {
    package let id: UUID
    package let sealedMail: [UInt8]
    /// The names of the rules that made the message urgent.
    package let rules: [String]
    package let createdAt: Date
    /// The user's own judgement; nil without one.
    package let isUrgent: Bool?
}

/// The place of an alert among those of its user, which stand from the newest to the oldest.
package struct AlertPlace: Sendable, Hashable {
    package let createdAt: Date
    package let id: UUID

    package init(createdAt: Date, id: UUID) {
        self.createdAt = createdAt
        self.id = id
    }

    package init(_ alert: StoredAlert) { self.init(createdAt: alert.createdAt, id: alert.id) }
}

/// The outcome of a user's judgement of an alert.
package enum AlertFeedback: Sendable, Hashable {
    case stored
    /// The user has judged so before.
    case repeated
    case noAlert
}

/// Alerts of urgent mail, one for each message.
package struct AlertStore: Sendable {
    let database: any SQLDatabase

    /// Adds an alert.
    ///
    /// - Parameter message: a keyed digest of the message's id.
    /// - Returns: false when the message has an alert already.
    package func add(
        _ id: UUID, of userID: UUID, message: [UInt8], sealedMail: [UInt8], rules: [String], at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            try session.change(
                """
                INSERT INTO alerts (id, user_id, message_digest, mail_ciphertext, rules, created_at)
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id, message_digest) DO NOTHING
                """,
                [.uuid(id), .uuid(userID), .bytes(message), .bytes(sealedMail), .texts(rules), .time(now)]) == 1
        }
    }

    /// Returns the alerts of which the user was not told yet, the oldest first.
    package func untold(to userID: UUID) async throws -> [StoredAlert] {
        try await alerts("notified_at IS NULL", of: userID, [])
    }

    /// Returns the alerts since a time, the oldest first.
    package func alerts(of userID: UUID, since start: Date, atMost limit: Int = 500) async throws -> [StoredAlert] {
        try await alerts("created_at >= $2", of: userID, [.time(start)], atMost: limit)
    }

    /// Returns a user's alerts, the newest first.
    ///
    /// - Parameter place: alerts older than the one at this place only; nil for all.
    package func newest(
        of userID: UUID, before place: AlertPlace? = nil, atMost limit: Int
    ) async throws -> [StoredAlert] {
        let condition = place == nil ? "TRUE" : "(created_at, id) < ($2, $3)"
        return try await alerts(
            condition, of: userID, place.map { [.time($0.createdAt), .uuid($0.id)] } ?? [], order: "DESC",
            atMost: limit)
    }

    package func alert(_ id: UUID, of userID: UUID) async throws -> StoredAlert? {
        try await alerts("id = $2", of: userID, [.uuid(id)]).first
    }

    package func noteTold(_ id: UUID, of userID: UUID, at now: Date) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                "UPDATE alerts SET notified_at = $1 WHERE id = $2 AND user_id = $3 AND notified_at IS NULL",
                [.time(now), .uuid(id), .uuid(userID)])
        }
    }

    package func judge(_ id: UUID, of userID: UUID, isUrgent: Bool) async throws -> AlertFeedback {
        try await database.transaction(.writing) { session in
            let changed = try session.change(
                "UPDATE alerts SET urgent = $1 WHERE id = $2 AND user_id = $3 AND (urgent IS NULL OR urgent <> $1)",
                [.bool(isUrgent), .uuid(id), .uuid(userID)])
            if changed == 1 { return .stored }
            let known = try session.row(
                "SELECT id FROM alerts WHERE id = $1 AND user_id = $2", [.uuid(id), .uuid(userID)])
            return known == nil ? .noAlert : .repeated
        }
    }

    package func remove(before end: Date) async throws -> Int {
        try await database.transaction(.writing) { session in
            try session.change("DELETE FROM alerts WHERE created_at < $1", [.time(end)])
        }
    }

    private func alerts(
        _ condition: String, of userID: UUID, _ arguments: [SQLValue], order: String = "ASC",
        atMost limit: Int = 500
    ) async throws -> [StoredAlert] {
        try await database.transaction(.reading) { session in
            try session.rows(
                """
                SELECT * FROM alerts WHERE user_id = $1 AND \(condition)
                ORDER BY created_at \(order), id \(order) LIMIT \(limit)
                """, [.uuid(userID)] + arguments
            ).map { row in
                StoredAlert(
                    id: try row.uuid("id"), sealedMail: try row.bytes("mail_ciphertext"),
                    rules: try row.texts("rules"), createdAt: try row.time("created_at"),
                    isUrgent: try row.optional("urgent") { row, name throws(AssistantStoreError) in
                        try row.bool(name)
                    })
            }
        }
    }
}
