import Foundation

/// The table of briefs.
enum BriefSchema {
    static let sql = """
        CREATE TABLE briefs (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            brief_ciphertext BYTEA NULL,
            expires_at TIMESTAMPTZ NOT NULL,
            fetched_at TIMESTAMPTZ NULL
        );
        CREATE INDEX briefs_by_user ON briefs (user_id);
        CREATE INDEX briefs_by_end ON briefs (expires_at);
        """
}

/// Briefs, sealed, until each is read once or its time is over.
package struct BriefStore: Sendable {
    let database: any SQLDatabase

    /// Keeps a brief. A repeated one replaces the first, unless that was read: then it stays gone.
    package func keep(_ id: UUID, of userID: UUID, sealed: [UInt8], expires: Date) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                """
                INSERT INTO briefs (id, user_id, brief_ciphertext, expires_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT (id) DO UPDATE SET brief_ciphertext = excluded.brief_ciphertext,
                    expires_at = excluded.expires_at
                WHERE briefs.fetched_at IS NULL AND briefs.user_id = excluded.user_id
                """, [.uuid(id), .uuid(userID), .bytes(sealed), .time(expires)])
        }
    }

    /// Takes a brief, which is gone afterwards.
    ///
    /// - Returns: nil when the user has no such brief, has read it, or it is too old.
    package func take(_ id: UUID, of userID: UUID, at now: Date) async throws -> [UInt8]? {
        try await database.transaction(.writing) { session in
            guard
                let row = try session.row(
                    """
                    SELECT brief_ciphertext FROM briefs
                    WHERE id = $1 AND user_id = $2 AND fetched_at IS NULL AND expires_at > $3
                    """, [.uuid(id), .uuid(userID), .time(now)])
            else { return nil }
            let sealed = try row.bytes("brief_ciphertext")
            // Of two calls at once, the second finds it read.
            let taken = try session.change(
                """
                UPDATE briefs SET brief_ciphertext = NULL, fetched_at = $1
                WHERE id = $2 AND user_id = $3 AND fetched_at IS NULL
                """, [.time(now), .uuid(id), .uuid(userID)])
            return taken == 1 ? sealed : nil
        }
    }

    /// Removes briefs whose time is over.
    package func removeExpired(at now: Date) async throws -> Int {
        try await database.transaction(.writing) { session in
            try session.change("DELETE FROM briefs WHERE expires_at <= $1", [.time(now)])
        }
    }
}
