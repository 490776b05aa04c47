import Clocks
import Foundation
import GRDB
import Messages
import Signer

extension RequestStore {
    /// Returns the documents that an agent has, each once with its newest file: the statements and the documents of its
    /// requests. They stand in the order of banks, accounts, months from the newest, and kinds.
    package func heldDocuments(of agent: AgentName) async throws -> [HeldDocument] {
        let all = try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT d.document_id, d.account, d.period, d.days, d.part, d.kind, d.file_path, d.sha256, d.bytes,
                        r.id AS request_id,
                        r.signed_envelope_json ->> '$.bank_id' AS bank_id, r.created_at
                    FROM request_documents d JOIN pending_requests r ON r.id = d.request_id
                    WHERE r.agent = ?1 AND d.file_path IS NOT NULL
                    UNION ALL
                    SELECT NULL, NULL,
                        printf('%04d-%02d', parameters_json ->> '$.year', parameters_json ->> '$.month'), NULL, 1,
                        'pdf',
                        result_file_path, result_sha256, NULL, id, signed_envelope_json ->> '$.bank_id', created_at
                    FROM pending_requests WHERE agent = ?1 AND result_file_path IS NOT NULL
                    ORDER BY created_at DESC
                    """, arguments: [agent.description]
            ).compactMap(Self.held)
        }
        var seen: Set<DocumentID> = []
        let held = all.filter { seen.insert($0.document.id).inserted }
        return held.sorted { left, right in
            if left.bankID != right.bankID { return left.bankID < right.bankID }
            let (one, other) = (left.document, right.document)
            if one.account != other.account {
                return (one.account?.description ?? "") < (other.account?.description ?? "")
            }
            if one.period != other.period { return one.period > other.period }
            return one.kind == other.kind ? one.place.part < other.place.part : one.kind < other.kind
        }
    }

    private static func held(_ row: Row) -> HeldDocument? {
        guard let bankID = row["bank_id"] as String?, let place = DocumentPlace(row: row),
            let request = RequestID(row["request_id"] as String)
        else { return nil }
        let id = (row["document_id"] as String?).flatMap { DocumentID($0) } ?? DocumentID(bankID: bankID, place)
        var summary = DocumentSummary(id: id, place)
        summary.filePath = row["file_path"]
        summary.sha256 = row["sha256"]
        summary.bytes = row["bytes"]
        return HeldDocument(summary, bankID: bankID, requestID: request)
    }
}
