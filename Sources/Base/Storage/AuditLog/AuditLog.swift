import Encodings
import Foundation
import GRDB

/// A log of events, in order, that cannot be changed unnoticed.
///
///     var migrator = DatabaseMigrator()
///     AuditLog.registerMigrations(&migrator)
///     try migrator.migrate(database)
///     let log = AuditLog(database)
///     try await log.record(AuditEvent(.requestApproved, requestID: id))
///
/// Each record contains the hash of the one before. ``verify(against:)`` walks the chain. A checkpoint that was kept
/// elsewhere also reveals a log that was truncated or rewritten.
package struct AuditLog: Sendable {
    private let database: any DatabaseWriter

    package init(_ database: any DatabaseWriter) {
        self.database = database
    }

    package static func registerMigrations(_ migrator: inout DatabaseMigrator) {
        AuditSchema.register(in: &migrator)
    }

    /// Appends an event, durably.
    @discardableResult
    package func record(_ event: AuditEvent) async throws -> AuditRecord {
        try await database.write { try Self.record(event, in: $0) }
    }

    /// Appends an event in the caller's transaction, so that a change and its record commit together.
    @discardableResult
    package static func record(_ event: AuditEvent, in database: Database) throws -> AuditRecord {
        var event = event.sanitised
        // The hash covers the time as it is stored, in milliseconds.
        event.time = AuditTime.date(AuditTime.text(event.time)) ?? event.time
        let last = try lastPlace(in: database)
        let record = try AuditRecord(event, after: last.id, hash: last.hash)
        try database.cachedStatement(sql: "INSERT INTO audit_log VALUES (?, ?, ?, ?, ?, ?, ?, ?)").execute(
            arguments: [
                record.id, AuditTime.text(event.time), event.severity.rawValue, event.requestID, event.type,
                String(decoding: try event.details.canonicalBytes(), as: UTF8.self), record.previousHash, record.hash,
            ])
        return record
    }

    /// Returns the records that match the filter, oldest first.
    package func records(_ filter: AuditFilter = AuditFilter()) async throws -> [AuditRecord] {
        try await database.read { database in
            let (condition, arguments) = filter.condition
            // LIMIT takes the newest; then the order is reversed.
            let rows = try Row.fetchAll(
                database, sql: "SELECT * FROM audit_log WHERE \(condition) ORDER BY id DESC LIMIT ?",
                arguments: arguments + [filter.limit])
            return try rows.reversed().map(AuditRecord.init(row:))
        }
    }

    static func lastPlace(in database: Database) throws -> AuditCheckpoint {
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1"))
        return if let row { AuditCheckpoint(id: row["id"], hash: row["hash"]) } else { try anchor(in: database) }
    }

    /// Returns the last record that was pruned, where the chain begins.
    static func anchor(in database: Database) throws -> AuditCheckpoint {
        guard let row = try Row.fetchOne(database, sql: "SELECT pruned_through, hash FROM audit_anchor") else {
            throw AuditError.damaged(0)
        }
        return AuditCheckpoint(id: row["pruned_through"], hash: row["hash"])
    }

    // MARK: Verification

    /// Returns the end of the log. Kept elsewhere, it reveals later changes to the records before it, and missing ones.
    package func checkpoint() async throws -> AuditCheckpoint {
        try await database.read { try Self.lastPlace(in: $0) }
    }

    /// Verifies the chain from its start, or from the pruned place, to its end.
    package func verify(against checkpoint: AuditCheckpoint? = nil) async throws -> AuditVerification {
        try await database.read { database in
            let anchor = try Self.anchor(in: database)
            var place = anchor
            var count = 0
            var isAnchorRecorded = anchor.id == 0
            var hasCheckpoint = checkpoint.map { $0 == anchor || $0.id == 0 } ?? true
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM audit_log ORDER BY id")
            while let row = try rows.next() {
                guard let record = try? AuditRecord(row: row), record.id == place.id + 1,
                    record.previousHash == place.hash, record.isAuthentic
                else { return .broken(at: row["id"]) }
                place = AuditCheckpoint(id: record.id, hash: record.hash)
                count += 1
                if place == checkpoint { hasCheckpoint = true }
                if record.event.type == Self.pruned.rawValue,
                    record.event.details["through"]?.intValue == Int(anchor.id),
                    record.event.details["hash"]?.stringValue ?? anchor.hash == anchor.hash
                {
                    isAnchorRecorded = true
                }
            }
            guard isAnchorRecorded else { return .unexplainedStart(after: anchor.id) }
            if let checkpoint, !hasCheckpoint {
                guard checkpoint.id >= anchor.id else {
                    return .checkpointPruned(id: checkpoint.id, through: anchor.id)
                }
                return checkpoint.id > place.id ? .truncated(after: place.id) : .rewritten(before: checkpoint.id)
            }
            return .intact(count: count, last: place)
        }
    }

    // MARK: Retention

    private static let pruned = AuditKind.auditPruned

    /// Deletes the oldest records beyond `count` and those before `date`, and records the deletion. The newest record
    /// always stays, and the chain stays verifiable from the last deleted record.
    ///
    /// The record of the deletion carries the place and the hash where the chain now begins. ``verify(against:)`` wants such
    /// a record, and so reports a beginning that was cut off.
    ///
    /// - Returns: the number of deleted records.
    @discardableResult
    package func prune(keeping count: Int? = nil, since date: Date? = nil, at now: Date = Date()) async throws -> Int {
        guard count ?? 1 > 0 else { throw AuditError.invalidRetention }
        return try await database.write { database in
            let anchor = try Self.anchor(in: database)
            let last = try Self.lastPlace(in: database)
            var through = anchor.id
            if let count { through = max(through, last.id - Int64(count)) }
            if let date {
                // Up to the first record that is young enough: a clock that was set back must not leave a gap.
                let keep = try Int64.fetchOne(
                    database, sql: "SELECT min(id) FROM audit_log WHERE created_at >= ?",
                    arguments: [AuditTime.text(date)])
                through = max(through, (keep ?? last.id) - 1)
            }
            guard through > anchor.id else { return 0 }
            try database.execute(
                sql: "UPDATE audit_anchor SET pruned_through = :id, hash = (SELECT hash FROM audit_log WHERE id = :id)",
                arguments: ["id": through])
            let hash = try Self.anchor(in: database).hash
            try database.execute(sql: "DELETE FROM audit_log WHERE id <= ?", arguments: [through])
            let details: JSONValue = [
                "through": .number(Double(through)), "count": .number(Double(through - anchor.id)),
                "hash": .string(hash),
            ]
            try Self.record(AuditEvent(Self.pruned, details: details, time: now), in: database)
            return Int(through - anchor.id)
        }
    }
}
