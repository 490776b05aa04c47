import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// The place of a document on its way to paperless-ngx.
package struct PaperlessDocument: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        /// It is to be uploaded.
        case waiting
        /// paperless-ngx has it and works on it.
        case uploaded
        case filed
        /// paperless-ngx refused it. Only the owner can have it tried again.
        case failed
    }

    package let key: UnfiledDocument.Key
    package let state: State
    /// The broker's own copy.
    package let file: String
    package let sha256: String
    package let bankID: String
    /// The bank's name as its phone gives it; nil when no phone offers the bank now.
    package let bankName: String?
    package let place: DocumentPlace
    /// The task that paperless-ngx named when it took the upload.
    package let task: String?
    /// The attempts that failed since the last step forward.
    package let attempts: Int
    /// The looks at the task.
    package let looks: Int
    /// The time of the next step, in seconds since 1970.
    package let due: Date
    /// Why it waits or has failed.
    package let reason: String?
}

/// The documents on their way to paperless-ngx. Without paperless-ngx they stay until retention removes their request.
package struct PaperlessStore: Sendable {
    let database: BrokerDatabase

    /// paperless-ngx reads these kinds without a further service. Documents of other kinds are not queued.
    private static let kinds = "'pdf', 'csv'"

    static let tables = """
        CREATE TABLE paperless_documents (
            request_id TEXT NOT NULL,
            -- Empty for a statement.
            document_id TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('waiting', 'uploaded', 'filed', 'failed')),
            task TEXT,
            paperless_id INTEGER,
            attempts INTEGER NOT NULL DEFAULT 0,
            looks INTEGER NOT NULL DEFAULT 0,
            -- Seconds since 1970.
            due INTEGER NOT NULL DEFAULT 0,
            reason TEXT,
            PRIMARY KEY (request_id, document_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX paperless_documents_by_time ON paperless_documents (due) WHERE state IN ('waiting', 'uploaded');
        INSERT INTO paperless_documents (request_id, document_id, state)
            SELECT id, '', 'waiting' FROM pending_requests
            WHERE status = 'COMPLETED' AND result_file_path IS NOT NULL AND result_sha256 IS NOT NULL
            UNION ALL
            SELECT request_id, document_id, 'waiting' FROM request_documents
            WHERE nonce IS NOT NULL AND was_there = 0 AND kind IN (\(kinds));
        """

    /// Notes that a document was accepted, in the transaction that accepts it.
    static func queue(_ id: RequestID, _ document: DocumentID?, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO paperless_documents (request_id, document_id, state)
                SELECT ?1, ?2, 'waiting'
                WHERE ?2 = '' OR EXISTS (
                    SELECT 1 FROM request_documents
                    WHERE request_id = ?1 AND document_id = ?2 AND kind IN (\(kinds)))
                """, arguments: [id.description, document?.description ?? ""])
    }

    private static let columns = """
        SELECT p.*, coalesce(d.file_path, r.result_file_path) AS file, coalesce(d.sha256, r.result_sha256) AS sha256,
            r.signed_envelope_json ->> '$.bank_id' AS bank,
            (SELECT name FROM device_banks WHERE bank_id = r.signed_envelope_json ->> '$.bank_id'
                ORDER BY device LIMIT 1) AS bank_name,
            coalesce(d.period, printf('%04d-%02d', r.parameters_json ->> '$.year', r.parameters_json ->> '$.month'))
                AS period, d.days, d.part, d.account, coalesce(d.kind, 'pdf') AS kind
        FROM paperless_documents p JOIN pending_requests r ON r.id = p.request_id
            LEFT JOIN request_documents d ON d.request_id = p.request_id AND d.document_id = p.document_id
        """

    private static func document(_ row: Row) -> PaperlessDocument? {
        guard let id = RequestID(row["request_id"] as String), let bank = row["bank"] as String?,
            let file = row["file"] as String?, let sha256 = row["sha256"] as String?,
            let place = DocumentPlace(row: row), let state = PaperlessDocument.State(rawValue: row["state"])
        else { return nil }
        return PaperlessDocument(
            key: .init(requestID: id, documentID: DocumentID(row["document_id"] as String)), state: state, file: file,
            sha256: sha256, bankID: bank, bankName: row["bank_name"], place: place, task: row["task"],
            attempts: row["attempts"], looks: row["looks"], due: Date(timeIntervalSince1970: row["due"]),
            reason: row["reason"])
    }

    // MARK: For the broker that serves

    /// Returns documents whose next step is due, the longest overdue first.
    package func due(at now: Date, limit: Int) async throws -> [PaperlessDocument] {
        try await database.read { db in
            try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        \(Self.columns)
                        WHERE p.state IN ('waiting', 'uploaded') AND p.due <= ? ORDER BY p.due LIMIT ?
                        """), arguments: [Int(now.timeIntervalSince1970), limit]
            ).compactMap(Self.document)
        }
    }

    /// Records that paperless-ngx took the upload, and the task that works on it.
    package func record(upload task: String, of key: UnfiledDocument.Key, at now: Date, nextLook: Date) async throws {
        try await database.write { db in
            try Self.change(
                // The reason stays: it tells a task that is lost again from one that is lost for the first time.
                key, "state = 'uploaded', task = ?, attempts = 0, looks = 0, due = ?",
                [task, Self.seconds(nextLook)], in: db)
            try Self.audit(.documentSentToPaperless, key, [:], at: now, in: db)
        }
    }

    /// Records a look at a task that goes on.
    package func recordLook(at key: UnfiledDocument.Key, next: Date) async throws {
        try await database.write { db in
            try Self.change(
                key, "looks = looks + 1, attempts = 0, due = ?", [Self.seconds(next)], in: db)
        }
    }

    /// Records an attempt that failed and is to be repeated.
    package func record(failedAttempt reason: String, of key: UnfiledDocument.Key, next: Date) async throws {
        try await database.write { db in
            try Self.change(
                key, "attempts = attempts + 1, reason = ?, due = ?", [reason, Self.seconds(next)], in: db)
        }
    }

    /// The reason of a document whose task is not listed.
    package static let lostTask = "paperless-ngx forgot the task"

    /// Has a document uploaded again, whose task paperless-ngx no longer knows.
    package func recordLostTask(of key: UnfiledDocument.Key, next: Date) async throws {
        try await database.write { db in
            try Self.change(
                key, "state = 'waiting', task = NULL, looks = 0, reason = ?, due = ?",
                [Self.lostTask, Self.seconds(next)], in: db)
        }
    }

    /// Records that a document is in paperless-ngx.
    ///
    /// - Parameters:
    ///   - id: its number there; nil when paperless-ngx did not tell, and for a folder.
    ///   - wasThere: true when paperless-ngx had the same file before.
    package func recordFiling(
        of key: UnfiledDocument.Key, as id: Int?, wasThere: Bool, at now: Date
    ) async throws {
        try await database.write { db in
            try Self.change(key, "state = 'filed', paperless_id = ?, reason = NULL", [id], in: db)
            var details: [String: JSONValue] = ["was_there": .bool(wasThere)]
            if let id { details["paperless_id"] = .number(Double(id)) }
            try Self.audit(.documentInPaperless, key, details, at: now, in: db)
        }
    }

    /// Records that paperless-ngx refused a document for good.
    package func recordRefusal(of key: UnfiledDocument.Key, _ reason: String, at now: Date) async throws {
        try await database.write { db in
            try Self.change(key, "state = 'failed', reason = ?", [reason], in: db)
            try Self.audit(
                .documentPaperlessFailed, key, ["reason": .string(reason)], severity: .warning, at: now, in: db)
        }
    }

    private static func seconds(_ time: Date) -> Int { Int(time.timeIntervalSince1970.rounded(.up)) }

    private static func change(
        _ key: UnfiledDocument.Key, _ assignments: String, _ arguments: StatementArguments, in db: Database
    ) throws {
        try db.execute(
            sql: "UPDATE paperless_documents SET \(assignments) WHERE request_id = ? AND document_id = ?",
            arguments: arguments + [key.requestID.description, key.documentID?.description ?? ""])
    }

    private static func audit(
        _ kind: AuditKind, _ key: UnfiledDocument.Key, _ details: [String: JSONValue], severity: AuditSeverity = .info,
        at now: Date, in db: Database
    ) throws {
        var details = details
        if let document = key.documentID { details["document_id"] = .string(document.description) }
        try AuditLog.record(
            AuditEvent(
                kind, severity: severity, requestID: key.requestID.description, details: .object(details), time: now),
            in: db)
    }

    // MARK: For the owner

    /// Counts the documents in each state.
    package func counts() async throws -> [PaperlessDocument.State: Int] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT state, count(*) AS n FROM paperless_documents GROUP BY state")
            return Dictionary(
                rows.compactMap { row in PaperlessDocument.State(rawValue: row["state"]).map { ($0, row["n"]) } },
                uniquingKeysWith: { $1 })
        }
    }

    /// Returns the documents that are not in paperless-ngx yet, those that failed first.
    package func unfiled(limit: Int) async throws -> [PaperlessDocument] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    \(Self.columns) WHERE p.state <> 'filed'
                    ORDER BY p.state <> 'failed', r.created_at, p.document_id LIMIT ?
                    """, arguments: [limit]
            ).compactMap(Self.document)
        }
    }

    /// Has everything tried again at once that failed or waits for another attempt.
    ///
    /// - Returns: the number of documents.
    package func tryAgain() async throws -> Int {
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE paperless_documents SET due = 0, attempts = 0,
                        task = CASE state WHEN 'failed' THEN NULL ELSE task END,
                        state = CASE state WHEN 'failed' THEN 'waiting' ELSE state END
                    WHERE state = 'failed' OR (state <> 'filed' AND attempts > 0)
                    """)
            return db.changesCount
        }
    }
}
