import Foundation

/// The place up to which a mailbox was read.
package struct MailPlace: Sendable, Hashable {
    package let historyID: String
    /// The time of the look that reached it.
    package let time: Date
}

/// The place up to which a mailbox was read, and the people to whom its user writes. People and conversations are kept as keyed digests.
package struct MailStateStore: Sendable {
    /// The most digests of one user. Those seen longest ago make room.
    static let mostAcquaintances = 5000

    let database: any SQLDatabase

    /// Returns the place up to which the mailbox of a connection was read; nil before the first look.
    package func place(of userID: UUID, connector: UUID) async throws -> MailPlace? {
        try await database.transaction(.reading) { session in
            try session.row(
                "SELECT history_id, updated_at FROM mail_places WHERE user_id = $1 AND connector_id = $2",
                [.uuid(userID), .uuid(connector)]
            ).map { MailPlace(historyID: try $0.text("history_id"), time: try $0.time("updated_at")) }
        }
    }

    package func advance(_ userID: UUID, connector: UUID, to place: String, at now: Date) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                """
                INSERT INTO mail_places (user_id, connector_id, history_id, updated_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT (user_id) DO UPDATE SET connector_id = excluded.connector_id,
                    history_id = excluded.history_id, updated_at = excluded.updated_at
                """, [.uuid(userID), .uuid(connector), .text(place), .time(now)])
        }
    }

    /// Remembers people and conversations to which the user has written.
    package func remember(_ digests: [[UInt8]], of userID: UUID, at now: Date) async throws {
        guard !digests.isEmpty else { return }
        try await database.transaction(.writing) { session in
            // In one order, so that two transactions of one user do not wait for each other.
            for digest in Set(digests).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                _ = try session.change(
                    """
                    INSERT INTO mail_acquaintances (user_id, digest, seen_at) VALUES ($1, $2, $3)
                    ON CONFLICT (user_id, digest) DO UPDATE SET seen_at = excluded.seen_at
                    """, [.uuid(userID), .bytes(digest), .time(now)])
            }
            _ = try session.change(
                """
                DELETE FROM mail_acquaintances WHERE user_id = $1 AND digest IN (
                    SELECT digest FROM mail_acquaintances WHERE user_id = $1
                    ORDER BY seen_at DESC, digest LIMIT 100000 OFFSET $2)
                """, [.uuid(userID), .integer(Self.mostAcquaintances)])
        }
    }

    /// Tells whether the user has written to a person or in a conversation.
    package func isKnown(_ digest: [UInt8], to userID: UUID) async throws -> Bool {
        try await database.transaction(.reading) { session in
            try session.row(
                "SELECT user_id FROM mail_acquaintances WHERE user_id = $1 AND digest = $2",
                [.uuid(userID), .bytes(digest)]) != nil
        }
    }

    /// Forgets those to whom the user has not written since a time.
    package func forget(before end: Date) async throws -> Int {
        try await database.transaction(.writing) { session in
            try session.change("DELETE FROM mail_acquaintances WHERE seen_at < $1", [.time(end)])
        }
    }
}
