import Foundation

/// The workers that run, so that each process can tell whether jobs are performed.
package struct WorkerStore: Sendable {
    let database: any SQLDatabase

    /// Records that a worker runs, and forgets those that were not seen for a day.
    package func beat(_ id: UUID, at now: Date? = nil) async throws {
        try await database.transaction(.writing) { session in
            let now = try session.time(now)
            _ = try session.change(
                """
                INSERT INTO workers (id, started_at, seen_at) VALUES ($1, $2, $2)
                ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
                """, [.uuid(id), .time(now)])
            _ = try session.change(
                "DELETE FROM workers WHERE seen_at < $1", [.time(now.addingTimeInterval(-86_400))])
        }
    }

    /// Tells whether a worker was seen within some seconds.
    package func isAlive(within seconds: TimeInterval, at now: Date? = nil) async throws -> Bool {
        try await database.transaction(.reading) { session in
            let start = try session.time(now).addingTimeInterval(-seconds)
            return try session.row("SELECT id FROM workers WHERE seen_at >= $1 LIMIT 1", [.time(start)]) != nil
        }
    }

    /// Records that a worker has ended.
    package func end(_ id: UUID) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change("DELETE FROM workers WHERE id = $1", [.uuid(id)])
        }
    }
}
