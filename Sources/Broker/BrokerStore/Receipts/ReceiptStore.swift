import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages

/// The evidence that a receipt is made of, and the sealed key that signs receipts.
package struct ReceiptStore: Sendable {
    static let table = """
        -- The key that signs receipts, made for the first one.
        CREATE TABLE receipt_key (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            key_sealed BLOB NOT NULL,
            created_at TEXT NOT NULL
        ) STRICT;
        """

    let database: BrokerDatabase

    /// Returns the key that signs receipts, and makes it for the first one.
    ///
    /// - Throws: ``StoreError`` when it was sealed with another secret.
    package func key(_ sealing: Sealing) async throws -> ReceiptKey {
        if let key = try await existingKey(sealing) { return key }
        let new = try sealing.seal(ReceiptKey().secret, as: SealedIdentity.receiptPurpose)
        let now = Timestamp(database.clock.now)
        // Another call may have made it meanwhile: the first one stays.
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO receipt_key (only, key_sealed, created_at) VALUES (1, ?, ?)",
                arguments: [new, now.description])
        }
        guard let key = try await existingKey(sealing) else {
            throw StoreError(message: "the key that signs receipts could not be stored")
        }
        return key
    }

    /// - Returns: nil before the first receipt.
    package func existingKey(_ sealing: Sealing) async throws -> ReceiptKey? {
        let sealed = try await database.read { db in
            try Data.fetchOne(db, sql: "SELECT key_sealed FROM receipt_key")
        }
        return try sealed.map { try ReceiptKey(secret: sealing.open($0, as: SealedIdentity.receiptPurpose)) }
    }

    /// Returns the signed approvals of a request that count, in the order in which they came.
    package func approvals(of id: RequestID) async throws -> [Receipt.Approval] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT public_key, approved_at, summary_json, signature
                    FROM request_approvals JOIN devices ON devices.id = device_id
                    WHERE request_id = ? AND voided_at IS NULL ORDER BY approved_at, device_id
                    """, arguments: [id.description]
            ).map { row in
                guard let key = DevicePublicKey(row["public_key"] as String),
                    let received = Timestamp(row["approved_at"] as String),
                    let signature = DeviceSignature(row["signature"] as String)
                else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an approval's row cannot be read") }
                return Receipt.Approval(
                    key: key, receivedAt: received, summary: try JSONReader.read(row["summary_json"] as String),
                    signature: signature)
            }
        }
    }

    /// Returns the documents of a completed request that have files.
    package func documents(of record: RequestRecord) async throws -> [Receipt.Document] {
        guard case .statement(let period) = try record.subject else {
            return try await database.requests.documents(of: record.id).compactMap { document in
                document.sha256.map {
                    Receipt.Document(id: document.id, place: document.place, sha256: $0, isEarlier: document.wasThere)
                }
            }
        }
        guard let sha256 = record.resultSHA256 else { return [] }
        let place = DocumentPlace(period: period)
        return [Receipt.Document(id: DocumentID(bankID: try record.bankID, place), place: place, sha256: sha256)]
    }
}
