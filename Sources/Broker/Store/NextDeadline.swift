import Clocks
import Foundation
import GRDB
import Synchronization

/// The earliest deadline of all, kept in memory, so that a look at a request asks the database only when something may
/// be over. It may be too early, after a request that ended; it is never too late.
///
/// Changed within the database's writing transactions alone, which come one after the other.
final class NextDeadline: Sendable {
    private struct Due {
        var wall: Date
        var elapsed: Int64
    }

    private let due = Mutex<Due?>(nil)

    func mayBeOver(at now: Date, _ elapsed: Int64) -> Bool {
        due.withLock { due in due.map { $0.wall <= now || $0.elapsed <= elapsed } ?? false }
    }

    func notLater(than wall: Date, _ elapsed: Int64) {
        due.withLock { due in
            due = Due(wall: min(due?.wall ?? wall, wall), elapsed: min(due?.elapsed ?? elapsed, elapsed))
        }
    }

    func findAnew(in db: Database) throws {
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
        due.withLock { due in
            guard elapsed != nil || wall != nil else {
                due = nil
                return
            }
            due = Due(
                wall: wall.flatMap { Timestamp($0) }?.date ?? .distantFuture, elapsed: elapsed ?? .max)
        }
    }
}
