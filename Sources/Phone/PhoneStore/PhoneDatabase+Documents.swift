import Encodings
import Foundation
import GRDB
import Messages

extension PhoneDatabase {
    /// Keeps that one of several documents was delivered.
    ///
    /// - Parameter sha256: lower-case hex.
    package func rememberDocument(
        _ document: DocumentID, of id: RequestID, sha256: String, at now: Date
    ) async throws {
        try await database.write {
            try $0.execute(
                sql: """
                    INSERT OR REPLACE INTO delivered_documents (request_id, document_id, sha256, delivered_at)
                    VALUES (?, ?, ?, ?)
                    """, arguments: [id.description, document.description, sha256, StoreTime.text(now)])
        }
    }

    /// Returns the SHA-256 of each document that was delivered to the same agent since a request was issued, for other
    /// requests. The agent has these: they need not be fetched again.
    package func documentsDelivered(sinceIssueOf id: RequestID) async throws -> [DocumentID: String] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT d.document_id, d.sha256 FROM requests own
                        JOIN requests other ON other.id <> own.id
                            AND other.envelope_json ->> '$.client' IS own.envelope_json ->> '$.client'
                        JOIN delivered_documents d ON d.request_id = other.id AND d.delivered_at >= own.issued_at
                    WHERE own.id = ? ORDER BY d.delivered_at
                    """, arguments: [id.description])
            return Self.digests(rows)
        }
    }

    private static func digests(_ rows: [Row]) -> [DocumentID: String] {
        Dictionary(
            rows.compactMap { row in DocumentID(row["document_id"] as String).map { ($0, row["sha256"]) } },
            uniquingKeysWith: { $1 })
    }

    /// Returns the SHA-256 of each document that was delivered for a request.
    package func documents(of id: RequestID) async throws -> [DocumentID: String] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT document_id, sha256 FROM delivered_documents WHERE request_id = ?",
                arguments: [id.description])
            return Self.digests(rows)
        }
    }

    /// Keeps a closing manifest, so that a phone that stops while it is written can write the same again. It can quote the
    /// bank, so it is encrypted as messages are.
    ///
    /// - Returns: the one that was kept first.
    package func keep(_ closing: ClosingManifest) async throws -> ClosingManifest {
        let id = closing.requestID.description
        let json = String(decoding: try JSONValue.object(closing.members).canonicalBytes(), as: UTF8.self)
        let kept = try sealed(json, of: id)
        let text = try await database.write { database in
            let first = try String.fetchOne(
                database, sql: "SELECT closing_json FROM closings WHERE request_id = ?", arguments: [id])
            if let first, let plain = opened(first, of: id) { return plain }
            // One under a key that is gone cannot be read again.
            try database.execute(sql: "INSERT OR REPLACE INTO closings VALUES (?, ?)", arguments: [id, kept])
            return json
        }
        guard text != json else { return closing }
        return try ClosingManifest(MessageFields(JSONReader.read(Data(text.utf8)), what: "the closing manifest"))
    }
}
