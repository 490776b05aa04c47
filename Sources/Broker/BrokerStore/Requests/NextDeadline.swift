import Clocks
import Foundation
import GRDB
import Synchronization

/// The earliest deadline, kept in memory: a sweep queries the database only when a request may be overdue.
///
/// Budget: status polls at 0.6 of an empty route, because every poll sweeps first.
///
/// The value may be too early, after its request ended, but never too late. It changes only on the writer's thread: a new
/// deadline counts at once, and one that ended is forgotten once that is committed, when readers see it too.
final class NextDeadline: Sendable {
    private struct Due {
        var wall: Date
        var elapsed: Int64
    }

    private let due = Mutex<Due?>(nil)

    /// Returns false when no request is overdue by either clock.
    func mayBeOver(at now: Date, _ elapsed: Int64) -> Bool {
        due.withLock { due in due.map { $0.wall <= now || $0.elapsed <= elapsed } ?? false }
    }

    /// Takes a new deadline into account.
    func notLater(than wall: Date, _ elapsed: Int64) {
        due.withLock { due in
            due = Due(wall: min(due?.wall ?? wall, wall), elapsed: min(due?.elapsed ?? elapsed, elapsed))
        }
    }

    /// Reads the earliest deadline from the database once the current transaction is committed. When the database cannot be
    /// read, the deadline stays as it was.
    func findAnew(afterCommitOf db: Database) {
        db.afterNextTransaction { [self] db in
            do {
                let earliest = try Self.earliest(in: db)
                due.withLock { $0 = earliest }
            } catch {
                // A deadline that is too early costs a query at the next sweep.
            }
        }
    }

    /// Returns the earliest deadline by each clock; without requests it is in the distant future.
    private static func earliest(in db: Database) throws -> Due {
        let elapsed = try Int64.fetchOne(db, sql: "SELECT min(due_milliseconds) FROM request_deadlines")
        let wall = try String.fetchOne(
            db,
            sql: """
                SELECT min(deadline) FROM (
                    SELECT min(approval_expires_at) AS deadline FROM pending_requests
                    WHERE status = 'PENDING_APPROVAL'
                    UNION ALL
                    SELECT min(execution_timeout_at) FROM pending_requests WHERE status IN ('APPROVED', 'EXECUTING'))
                """)
        return Due(wall: wall.flatMap { Timestamp($0) }?.date ?? .distantFuture, elapsed: elapsed ?? .max)
    }
}
