import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// A verified document that was not yet filed with the owner's documents.
package struct UnfiledDocument: Sendable, Hashable {
    /// The document's key among those to file: its request, and which of several documents it is.
    package struct Key: Sendable, Hashable {
        package let requestID: RequestID
        /// Nil for a statement.
        package let documentID: DocumentID?
    }

    /// The end of a page of documents.
    package struct Place: Sendable {
        fileprivate let request: String
        fileprivate let document: String
    }

    package let key: Key
    /// The broker's own copy.
    package let file: String
    package let sha256: String
    package let bankID: String
    package let place: DocumentPlace
}

extension RequestStore {
    static let filingTables = """
        -- The documents that were filed with the owner's documents. A statement has no name of its own.
        CREATE TABLE document_filings (
            request_id TEXT NOT NULL,
            document_id TEXT NOT NULL,
            filed_at TEXT NOT NULL,
            PRIMARY KEY (request_id, document_id)
        ) STRICT, WITHOUT ROWID;
        """

    /// The documents that are not filed yet. Without a folder to file in, they stay until retention removes their request.
    static let filingQueue = """
        CREATE TABLE documents_to_file (
            request_id TEXT NOT NULL,
            document_id TEXT NOT NULL,
            PRIMARY KEY (request_id, document_id)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO documents_to_file
            SELECT id, '' FROM pending_requests
            WHERE status = 'COMPLETED' AND result_file_path IS NOT NULL AND result_sha256 IS NOT NULL
            UNION ALL
            SELECT request_id, document_id FROM request_documents WHERE file_path IS NOT NULL AND was_there = 0
            EXCEPT
            SELECT request_id, document_id FROM document_filings;
        DROP TABLE document_filings;
        """

    static let filingFolders = """
        -- The folders in which documents were filed. An empty one in such a place is that of a disk which is not mounted.
        CREATE TABLE filing_folders (path TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// Notes that a document was accepted, in the transaction that accepts it: for the owner's archive and program, for
    /// paperless-ngx, and for the webhook.
    static func noteAccepted(_ id: RequestID, _ document: DocumentID?, at time: Date, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO documents_to_file VALUES (?, ?)",
            arguments: [id.description, document?.description ?? ""])
        try PaperlessStore.queue(id, document, in: db)
        try WebhookStore.queue(.document(document), of: id, at: time, in: db)
    }

    /// The documents of one page of ``unfiledDocuments(after:)``.
    private static let unfiledAtOnce = 200

    /// Returns documents that were not filed yet, in the order of their keys.
    ///
    /// - Parameter start: where the page before ended; nil for the first page.
    /// - Returns: a page of documents, and where the next one begins; nil after the last page.
    package func unfiledDocuments(
        after start: UnfiledDocument.Place? = nil
    ) async throws -> (documents: [UnfiledDocument], next: UnfiledDocument.Place?) {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT q.request_id, q.document_id, coalesce(d.file_path, r.result_file_path) AS file,
                        coalesce(d.sha256, r.result_sha256) AS sha256, r.signed_envelope_json ->> '$.bank_id' AS bank,
                        coalesce(d.period,
                            printf('%04d-%02d', r.parameters_json ->> '$.year', r.parameters_json ->> '$.month'))
                            AS period, d.days, d.part, d.account, coalesce(d.kind, 'pdf') AS kind
                    FROM documents_to_file q JOIN pending_requests r ON r.id = q.request_id
                        LEFT JOIN request_documents d
                            ON d.request_id = q.request_id AND d.document_id = q.document_id
                    WHERE (q.request_id, q.document_id) > (?, ?)
                    ORDER BY q.request_id, q.document_id LIMIT ?
                    """, arguments: [start?.request ?? "", start?.document ?? "", Self.unfiledAtOnce])
            let documents = rows.compactMap { row -> UnfiledDocument? in
                guard let id = RequestID(row["request_id"] as String), let bank = row["bank"] as String?,
                    let file = row["file"] as String?, let sha256 = row["sha256"] as String?,
                    let place = DocumentPlace(row: row)
                else { return nil }
                return UnfiledDocument(
                    key: .init(requestID: id, documentID: DocumentID(row["document_id"] as String)), file: file,
                    sha256: sha256, bankID: bank, place: place)
            }
            // By rows, not by documents: one that cannot be read does not hide those behind it.
            guard rows.count == Self.unfiledAtOnce, let last = rows.last else { return (documents, nil) }
            return (documents, .init(request: last["request_id"], document: last["document_id"]))
        }
    }

    /// Returns whether documents were filed in a folder.
    package func hasFiled(in folder: String) async throws -> Bool {
        try await database.read { db in
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM filing_folders WHERE path = ?)", arguments: [folder]) ?? false
        }
    }

    /// Remembers that documents were filed in a folder.
    package func remember(folderWithDocuments folder: String) async throws {
        guard try await !hasFiled(in: folder) else { return }
        try await database.write { db in try Self.remember(folder, in: db) }
    }

    private static func remember(_ folder: String, in db: Database) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO filing_folders VALUES (?)", arguments: [folder])
    }

    /// Records that a document was filed.
    ///
    /// - Parameter folder: the folder that holds filed documents; nil without one.
    package func recordFiling(of key: UnfiledDocument.Key, in folder: String?, at time: Date) async throws {
        let id = key.requestID.description
        try await database.write { db in
            if let folder { try Self.remember(folder, in: db) }
            try db.execute(
                sql: "DELETE FROM documents_to_file WHERE request_id = ? AND document_id = ?",
                arguments: [id, key.documentID?.description ?? ""])
            try AuditLog.record(AuditEvent(.documentFiled, requestID: id, time: time), in: db)
        }
    }

    /// Records that a document could not be filed. It stays unfiled.
    package func recordFailedFiling(
        of key: UnfiledDocument.Key, _ reason: String, at time: Date
    ) async throws {
        _ = try await database.write { db in
            try AuditLog.record(
                AuditEvent(
                    .documentFilingFailed, severity: .warning, requestID: key.requestID.description,
                    details: ["reason": .string(reason)], time: time), in: db)
        }
    }
}
