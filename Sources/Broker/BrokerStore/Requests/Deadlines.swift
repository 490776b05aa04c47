import Clocks
import Foundation
import GRDB
import Messages

/// The deadlines of open requests, for approval or for delivery: on the wall clock, as the envelope says, and on the clock
/// that only goes forward.
enum Deadlines {
    static func set(_ patience: Duration, for id: RequestID, _ clock: BrokerClock, in db: Database) throws {
        let due = clock.elapsedMilliseconds + Int64((patience.seconds * 1000).rounded())
        try set(due: due, for: id, in: db)
        try mark(clock, in: db)
    }

    private static func set(due: Int64, for id: RequestID, in db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO request_deadlines (request_id, due_milliseconds) VALUES (?, ?)"
        ).execute(arguments: [id.description, due])
    }

    static func remove(_ id: RequestID, in db: Database) throws {
        try db.execute(sql: "DELETE FROM request_deadlines WHERE request_id = ?", arguments: [id.description])
    }

    /// Returns the open requests whose time is over by either clock, with their states.
    static func overdue(
        at now: Date, _ clock: BrokerClock, in db: Database
    ) throws -> [(id: RequestID, status: RequestStatus)] {
        let stamp = Timestamp(now).description
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, status FROM pending_requests WHERE status = 'PENDING_APPROVAL' AND approval_expires_at <= ?
                UNION
                SELECT id, status FROM pending_requests
                WHERE status IN ('APPROVED', 'EXECUTING') AND execution_timeout_at <= ?
                UNION
                SELECT id, status FROM pending_requests
                WHERE id IN (SELECT request_id FROM request_deadlines WHERE due_milliseconds <= ?)
                """, arguments: [stamp, stamp, clock.elapsedMilliseconds])
        return rows.compactMap { row in
            guard let id = RequestID(row["id"] as String), let status = RequestStatus(rawValue: row["status"]) else {
                return nil
            }
            return (id, status)
        }
    }

    /// Notes the time, so that a clock that was set back before the next start is noticed. Called while there are
    /// deadlines: in the transactions that make them, and every few seconds.
    static func mark(_ clock: BrokerClock, in db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO clock_mark (only, boot, wall) VALUES (1, ?, ?)")
            .execute(arguments: [clock.boot, Timestamp(clock.now).description])
    }

    static func hasAny(in db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM request_deadlines)") ?? false
    }

    /// Restores the deadlines when a broker starts. Within one boot they hold as they are; after a reboot, the remaining
    /// time of each counts from the wall clock or the mark, whichever is later.
    static func resume(_ clock: BrokerClock, in db: Database) throws {
        let mark = try Row.fetchOne(db, sql: "SELECT boot, wall FROM clock_mark")
        let isSameBoot = mark?["boot"] == clock.boot
        let marked = mark.flatMap { Timestamp($0["wall"] as String) }?.date
        let now = max(clock.now, marked ?? clock.now)
        let open = try Row.fetchAll(
            db,
            sql: """
                SELECT id, coalesce(execution_timeout_at, approval_expires_at) AS deadline FROM pending_requests
                WHERE status IN ('PENDING_APPROVAL', 'APPROVED', 'EXECUTING')
                    AND (NOT ? OR id NOT IN (SELECT request_id FROM request_deadlines))
                """, arguments: [isSameBoot])
        for row in open {
            guard let id = RequestID(row["id"] as String), let deadline = Timestamp(row["deadline"] as String) else {
                continue
            }
            let left = deadline.date.timeIntervalSince(now)
            try set(due: clock.elapsedMilliseconds + Int64((left * 1000).rounded()), for: id, in: db)
        }
        if !open.isEmpty { try self.mark(clock, in: db) }
    }
}
