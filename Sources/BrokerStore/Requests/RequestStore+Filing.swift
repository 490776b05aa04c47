import AuditLog
import Clocks
import Foundation
import GRDB
import JSON
import Messages

/// A verified document that was not yet filed with the owner's documents.
package struct UnfiledDocument: Sendable, Hashable {
    /// The document's key among those to file: its request, and which of several documents it is.
    package struct Key: Sendable, Hashable {
        package let requestID: RequestID
        /// Nil for a statement.
        package let documentID: DocumentID?
    }

    package let key: Key
    /// The broker's own copy.
    package let file: String
    package let sha256: String
    package let bankID: String
    package let period: MonthYear
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

    /// The documents of one page of ``unfiledDocuments(after:)``.
    package static let unfiledAtOnce = 200

    /// Returns documents that were not filed yet, in the order of their keys.
    ///
    /// - Parameter start: the last key of the page before; nil for the first page.
    package func unfiledDocuments(after start: UnfiledDocument.Key? = nil) async throws -> [UnfiledDocument] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM (
                        SELECT id AS request, '' AS document, result_file_path AS file, result_sha256 AS sha256,
                            signed_envelope_json ->> '$.bank_id' AS bank,
                            printf('%04d-%02d', parameters_json ->> '$.year', parameters_json ->> '$.month') AS period
                        FROM pending_requests
                        WHERE status = 'COMPLETED' AND result_file_path IS NOT NULL AND result_sha256 IS NOT NULL
                        UNION ALL
                        SELECT d.request_id, d.document_id, d.file_path, d.sha256,
                            r.signed_envelope_json ->> '$.bank_id', d.period
                        FROM request_documents d JOIN pending_requests r ON r.id = d.request_id
                        WHERE d.file_path IS NOT NULL AND d.was_there = 0
                    )
                    WHERE (request, document) > (?, ?)
                        AND (request, document) NOT IN (SELECT request_id, document_id FROM document_filings)
                    ORDER BY request, document LIMIT ?
                    """,
                arguments: [
                    start?.requestID.description ?? "", start?.documentID?.description ?? "", Self.unfiledAtOnce,
                ])
            return rows.compactMap { row in
                guard let id = RequestID(row["request"] as String), let bank = row["bank"] as String?,
                    let period = MonthYear(row["period"] as String)
                else { return nil }
                return UnfiledDocument(
                    key: .init(requestID: id, documentID: DocumentID(row["document"] as String)), file: row["file"],
                    sha256: row["sha256"], bankID: bank, period: period)
            }
        }
    }

    /// Records that a document was filed.
    package func recordFiling(of key: UnfiledDocument.Key, at time: Date) async throws {
        let id = key.requestID.description
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO document_filings VALUES (?, ?, ?)",
                arguments: [id, key.documentID?.description ?? "", Timestamp(time).description])
            try AuditLog.record(AuditEvent("document.filed", requestID: id, time: time), in: db)
        }
    }

    /// Records that a document could not be filed. It stays unfiled.
    package func recordFailedFiling(
        of key: UnfiledDocument.Key, _ reason: String, at time: Date
    ) async throws {
        _ = try await database.write { db in
            try AuditLog.record(
                AuditEvent(
                    "document.filing_failed", severity: .warning, requestID: key.requestID.description,
                    details: ["reason": .string(reason)], time: time), in: db)
        }
    }
}
