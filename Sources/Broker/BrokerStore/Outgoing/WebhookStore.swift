import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// An event that the owner's webhook is told of: ids and states, and no text of a bank.
package struct WebhookEvent: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        /// A verified document was accepted. A statement has no name of its own.
        case document(DocumentID?)
        /// A request has ended.
        case end(RequestStatus)
    }

    /// The same for each attempt, so that a receiver can tell a repetition.
    package let id: String
    package let requestID: RequestID
    package let subject: Subject
    package let time: Timestamp
    /// The attempts that failed.
    package let attempts: Int

    /// The event's type, as receivers know it.
    package var type: String {
        switch subject {
        case .document: "document.accepted"
        case .end: "request.finished"
        }
    }

    /// The message's body: the same bytes for each attempt.
    package var body: [UInt8] {
        var data: [String: JSONValue] = ["request_id": .string(requestID.description)]
        switch subject {
        case .document(let document): if let document { data["document_id"] = .string(document.description) }
        case .end(let status): data["status"] = .string(status.rawValue)
        }
        let message: JSONValue = [
            "type": .string(type), "timestamp": .string(time.description), "data": .object(data),
        ]
        return message.compactBytes()
    }
}

/// The events that the owner's webhook is still to be told of.
///
/// Events are kept only while a webhook is set: ``setReceiver(_:)`` decides that at each start of the broker.
package struct WebhookStore: Sendable {
    let database: BrokerDatabase

    static let tables = """
        CREATE TABLE webhook_receiver (only INTEGER PRIMARY KEY CHECK (only = 1)) STRICT;
        CREATE TABLE webhook_events (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            event_id TEXT NOT NULL UNIQUE,
            request_id TEXT NOT NULL,
            -- Of an accepted document; empty for a statement.
            document_id TEXT,
            -- Of a finished request.
            status TEXT,
            happened_at TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            -- Seconds since 1970; NULL once nothing more is tried.
            due INTEGER DEFAULT 0,
            reason TEXT
        ) STRICT;
        CREATE INDEX webhook_events_by_time ON webhook_events (due) WHERE due IS NOT NULL;
        CREATE INDEX webhook_events_by_request ON webhook_events (request_id);
        """

    /// Notes an event, in the transaction of the change itself, if there is a webhook.
    static func queue(_ subject: WebhookEvent.Subject, of id: RequestID, at time: Date, in db: Database) throws {
        var document: String?
        var status: String?
        switch subject {
        case .document(let id): document = id?.description ?? ""
        case .end(let end): status = end.rawValue
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO webhook_events (event_id, request_id, document_id, status, happened_at)
                SELECT ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM webhook_receiver)
                """
        ).execute(arguments: [
            "msg_" + Nonce().description, id.description, document, status, Timestamp(time).description,
        ])
    }

    private static func event(_ row: Row) -> WebhookEvent? {
        guard let id = RequestID(row["request_id"] as String), let time = Timestamp(row["happened_at"] as String) else {
            return nil
        }
        let subject: WebhookEvent.Subject
        if let status = (row["status"] as String?).flatMap(RequestStatus.init(rawValue:)) {
            subject = .end(status)
        } else {
            subject = .document((row["document_id"] as String?).flatMap { DocumentID($0) })
        }
        return WebhookEvent(
            id: row["event_id"], requestID: id, subject: subject, time: time, attempts: row["attempts"])
    }

    // MARK: For the broker that serves

    /// Says whether there is a webhook. Without one, the events that wait are forgotten, and none is kept.
    package func setReceiver(_ isThere: Bool) async throws {
        try await database.write { db in
            if isThere {
                try db.execute(sql: "INSERT OR IGNORE INTO webhook_receiver VALUES (1)")
            } else {
                try db.execute(sql: "DELETE FROM webhook_receiver; DELETE FROM webhook_events")
            }
        }
    }

    /// Returns events whose next attempt is due, the oldest first.
    package func due(at now: Date, limit: Int) async throws -> [WebhookEvent] {
        try await database.read { db in
            try Row.fetchAll(
                db.cachedStatement(sql: "SELECT * FROM webhook_events WHERE due <= ? ORDER BY number LIMIT ?"),
                arguments: [Int(now.timeIntervalSince1970), limit]
            ).compactMap(Self.event)
        }
    }

    /// Records that the receiver took an event. It is kept no longer.
    package func recordDelivery(of event: WebhookEvent, at now: Date) async throws {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM webhook_events WHERE event_id = ?", arguments: [event.id])
            try Self.audit(.webhookDelivered, event, [:], at: now, in: db)
        }
    }

    /// Records an attempt that failed.
    ///
    /// - Parameter next: the time of the next attempt; nil after the last one: the event has failed.
    package func record(
        failedAttempt reason: String, of event: WebhookEvent, next: Date?, at now: Date
    ) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE webhook_events SET attempts = attempts + 1, reason = ?, due = ? WHERE event_id = ?",
                arguments: [reason, next.map { Int($0.timeIntervalSince1970.rounded(.up)) }, event.id])
            guard next == nil else { return }
            try Self.audit(
                .webhookFailed, event, ["reason": .string(reason)], severity: .warning, at: now, in: db)
        }
    }

    private static func audit(
        _ kind: AuditKind, _ event: WebhookEvent, _ details: [String: JSONValue], severity: AuditSeverity = .info,
        at now: Date, in db: Database
    ) throws {
        var details = details
        details["event_id"] = .string(event.id)
        details["type"] = .string(event.type)
        details["attempts"] = .number(Double(event.attempts + 1))
        try AuditLog.record(
            AuditEvent(
                kind, severity: severity, requestID: event.requestID.description, details: .object(details), time: now),
            in: db)
    }

    // MARK: For the owner

    /// The events that are not delivered.
    package struct Undelivered: Sendable, Hashable {
        package let waiting: Int
        /// Those that no attempt follows.
        package let failed: Int
        /// The reason of the last attempt that failed; nil when none did.
        package let reason: String?
    }

    package func undelivered() async throws -> Undelivered {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(due) AS waiting, count(*) - count(due) AS failed,
                        (SELECT reason FROM webhook_events WHERE reason IS NOT NULL ORDER BY number DESC LIMIT 1)
                            AS reason
                    FROM webhook_events
                    """)
            return Undelivered(
                waiting: row?["waiting"] ?? 0, failed: row?["failed"] ?? 0, reason: row?["reason"])
        }
    }

    /// Has every event tried again at once that failed or waits.
    ///
    /// - Returns: the number of events.
    package func tryAgain() async throws -> Int {
        try await database.write { db in
            try db.execute(sql: "UPDATE webhook_events SET due = 0, attempts = 0")
            return db.changesCount
        }
    }
}
