import Clocks
import Crypto
import Encodings
import Foundation

/// The tables of audit events. A chain remembers its end, and the last event that the retention has removed.
enum AuditSchema {
    static let sql = """
        CREATE TABLE audit_events (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL,
            event_type TEXT NOT NULL,
            connector TEXT NULL,
            result TEXT NOT NULL,
            redacted_metadata JSONB NOT NULL,
            created_at TIMESTAMPTZ NOT NULL,
            position BIGINT NOT NULL,
            hash BYTEA NOT NULL,
            UNIQUE (user_id, position)
        );
        CREATE INDEX audit_events_by_time ON audit_events (created_at);
        CREATE TABLE audit_chains (
            user_id UUID PRIMARY KEY NOT NULL,
            position BIGINT NOT NULL,
            hash BYTEA NOT NULL,
            pruned_position BIGINT NOT NULL,
            pruned_hash BYTEA NOT NULL
        );
        """
}

/// An event to record. Its metadata is redacted: kinds and reasons, never contents.
package struct NewAuditEvent: Sendable, Hashable {
    package let type: String
    package let connector: String?
    package let result: String
    package let metadata: JSONValue

    package init(_ type: String, connector: String? = nil, result: String = "SUCCESS", metadata: JSONValue = [:]) {
        self.type = type
        self.connector = connector
        self.result = result
        self.metadata = metadata
    }
}

/// An event of a user, to be recorded.
struct UserAuditEvent: Sendable {
    let event: NewAuditEvent
    let userID: UUID
    let time: Date
}

/// A recorded event.
package struct StoredAuditEvent: Sendable, Hashable {
    package let id: UUID
    package let event: NewAuditEvent
    package let time: Date
    /// The event's place in its user's chain, from 1.
    package let position: Int
    package let hash: [UInt8]
}

/// The verdict on a chain.
package enum AuditChainVerdict: Sendable, Hashable {
    case intact(count: Int)
    /// The event at this place was changed, or is missing.
    case broken(at: Int)
}

/// Events of each user, chained: each hash covers the event and the hash before it.
package struct AuditEventStore: Sendable {
    private static let start = [UInt8](repeating: 0, count: 32)

    let database: any SQLDatabase
    let records: GatheredCalls<UserAuditEvent, Void>

    package func record(_ event: NewAuditEvent, of userID: UUID, at now: Date) async throws {
        try await database.transaction(.writing) { try Self.record(event, of: userID, now, $0) }
    }

    /// Records an event of work that may end after its user was deleted. Of a user who is gone, nothing may come back.
    package func recordUnlessDeleted(_ event: NewAuditEvent, of userID: UUID, at now: Date) async throws {
        try await records(UserAuditEvent(event: event, userID: userID, time: now))
    }

    /// Records several events at once.
    static func records(_ database: any SQLDatabase) -> GatheredCalls<UserAuditEvent, Void> {
        GatheredCalls { events in
            try await database.transaction(.writing) { session in
                let users = Set(events.map(\.userID)).sorted { $0.uuidString < $1.uuidString }
                let rows = try session.rows(
                    """
                    SELECT id FROM users WHERE id IN (\(SQLLists.places(users.count))) ORDER BY id
                    \(session.dialect.keepingUnchanged)
                    """, users.map(SQLValue.uuid))
                let known = Set(try rows.map { try $0.uuid("id") })
                try record(events.filter { known.contains($0.userID) }, session)
                return events.map { _ in }
            }
        }
    }

    /// Records an event in the caller's transaction, so that a change and its record commit together.
    static func record(_ event: NewAuditEvent, of userID: UUID, _ now: Date, _ session: any SQLSession) throws {
        try record([UserAuditEvent(event: event, userID: userID, time: now)], session)
    }

    /// Records several events in the caller's transaction. Those of one user keep their order.
    static func record(_ events: [UserAuditEvent], _ session: any SQLSession) throws {
        for round in SQLLists.rounds(events, by: \.userID) {
            // One order for all transactions, so that two of them do not wait for each other.
            try recordOneEach(round.sorted { $0.userID.uuidString < $1.userID.uuidString }, session)
        }
    }

    /// Records events of different users.
    private static func recordOneEach(_ events: [UserAuditEvent], _ session: any SQLSession) throws {
        // The row of a chain is locked from here on, so events of one user get their places one after another.
        let chains = events.indices.map { "($\($0 + 2), 1, $1, 0, $1)" }.joined(separator: ", ")
        let rows = try session.rows(
            """
            INSERT INTO audit_chains (user_id, position, hash, pruned_position, pruned_hash) VALUES \(chains)
            ON CONFLICT (user_id) DO UPDATE SET position = audit_chains.position + 1
            RETURNING user_id, position, hash
            """, [.bytes(start)] + events.map { .uuid($0.userID) })
        let ends = try Dictionary(rows.map { (try $0.uuid("user_id"), $0) }) { $1 }
        var stored: [SQLValue] = []
        var hashes: [SQLValue] = []
        for entry in events {
            guard let end = ends[entry.userID] else {
                throw AssistantStoreError(.damaged, "the chain of audit events has no end")
            }
            let (id, event, position) = (UUID(), entry.event, try end.integer("position"))
            let hash = hash(id, entry.userID, event, entry.time, position, after: try end.bytes("hash"))
            stored += [
                .uuid(id), .uuid(entry.userID), .text(event.type), .optional(event.connector), .text(event.result),
                .json(event.metadata), .time(entry.time), .integer(position), .bytes(hash),
            ]
            hashes += [.uuid(entry.userID), .bytes(hash)]
        }
        _ = try session.change(
            """
            INSERT INTO audit_events
                (id, user_id, event_type, connector, result, redacted_metadata, created_at, position, hash)
            VALUES \(SQLLists.rows(events.count, of: 9))
            """, stored)
        _ = try session.change(
            """
            UPDATE audit_chains SET hash = ends.column2 FROM (VALUES \(SQLLists.rows(events.count, of: 2))) AS ends
            WHERE audit_chains.user_id = ends.column1
            """, hashes)
    }

    /// Returns a page of events, the newest first.
    ///
    /// - Parameter position: only events before this place, which later events do not move.
    package func events(of userID: UUID, before position: Int?, atMost limit: Int) async throws -> [StoredAuditEvent] {
        try await database.transaction(.reading) { session in
            try session.rows(
                "SELECT * FROM audit_events WHERE user_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3",
                [.uuid(userID), .integer(position ?? Int(Int64.max)), .integer(limit)]
            ).map(Self.event)
        }
    }

    /// Verifies a user's chain from the place where the retention has cut it to its end.
    package func verify(_ userID: UUID) async throws -> AuditChainVerdict {
        try await database.transaction(.reading) { session in
            let rows = try session.rows(
                "SELECT * FROM audit_events WHERE user_id = $1 ORDER BY position", [.uuid(userID)])
            guard let chain = try session.row("SELECT * FROM audit_chains WHERE user_id = $1", [.uuid(userID)]) else {
                return rows.isEmpty ? .intact(count: 0) : .broken(at: 1)
            }
            var position = try chain.integer("pruned_position")
            var hash = try chain.bytes("pruned_hash")
            for row in rows {
                let event = try Self.event(row)
                position += 1
                hash = Self.hash(event.id, userID, event.event, event.time, position, after: hash)
                guard event.position == position, event.hash == hash else { return .broken(at: position) }
            }
            guard try chain.integer("position") == position, try chain.bytes("hash") == hash else {
                return .broken(at: position + 1)
            }
            return .intact(count: rows.count)
        }
    }

    /// Removes events before a time. Each chain stays verifiable from its cut.
    package func remove(before end: Date) async throws -> Int {
        try await database.transaction(.writing) { session in
            let cuts = try session.rows(
                "SELECT user_id, max(position) AS position FROM audit_events WHERE created_at < $1 GROUP BY user_id",
                [.time(end)])
            var count = 0
            for cut in cuts {
                let userID = try cut.uuid("user_id")
                let position = try cut.integer("position")
                _ = try session.change(
                    """
                    UPDATE audit_chains SET pruned_position = $1, pruned_hash =
                        (SELECT hash FROM audit_events WHERE user_id = $2 AND audit_events.position = $1)
                    WHERE user_id = $2
                    """, [.integer(position), .uuid(userID)])
                count += try session.change(
                    "DELETE FROM audit_events WHERE user_id = $1 AND position <= $2",
                    [.uuid(userID), .integer(position)])
            }
            return count
        }
    }

    private static func event(_ row: SQLRow) throws -> StoredAuditEvent {
        StoredAuditEvent(
            id: try row.uuid("id"),
            event: NewAuditEvent(
                try row.text("event_type"),
                connector: try row.optional("connector") { row, name throws(AssistantStoreError) in try row.text(name)
                },
                result: try row.text("result"), metadata: try row.json("redacted_metadata")),
            time: try row.time("created_at"), position: try row.integer("position"), hash: try row.bytes("hash"))
    }

    private static func hash(
        _ id: UUID, _ userID: UUID, _ event: NewAuditEvent, _ time: Date, _ position: Int, after previous: [UInt8]
    ) -> [UInt8] {
        let fields: JSONValue = [
            .string(id.uuidString), .string(userID.uuidString), .string(event.type),
            event.connector.map(JSONValue.string) ?? .null, .string(event.result), event.metadata,
            .string(Timestamp(time).description), .number(Double(position)), .string(Base16.encode(previous)),
        ]
        return Array(SHA256.hash(data: fields.compactBytes()))
    }
}
