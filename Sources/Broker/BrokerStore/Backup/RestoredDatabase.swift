import Foundation
import GRDB
import Storage

/// A copy of a broker's database that is about to be put in place: migrated, verified, and told where its documents are
/// now.
package struct RestoredDatabase: Sendable {
    /// The contents of the copy.
    package struct Contents: Sendable {
        package let requests: Int
        package let audit: AuditVerification
    }

    private let queue: DatabaseQueue

    /// Opens the copy, and migrates it to this version.
    ///
    /// - Throws: ``StoreError`` when the file is not a broker's database, or a newer version has written it.
    package init(_ copy: URL) throws(StoreError) {
        do {
            queue = try DatabaseQueue(path: copy.path)
            try Schema.migrator.migrateUnlessNewer(queue)
        } catch let error as NewerDatabaseError {
            throw StoreError(message: "\(error)")
        } catch {
            throw StoreError(message: "\(copy.path) is not a Countersign broker database: \(error)")
        }
    }

    /// Returns whether the database's secrets were sealed with this secret.
    package func isSealed(with sealing: Sealing) throws -> Bool {
        try queue.read { db in try SealedColumns.areSealed(with: sealing, in: db) }
    }

    /// Changes the path of each document that `isHere` knows by its file's name, and records the restoration.
    ///
    /// - Parameter folder: the folder of accepted documents from now on.
    /// - Returns: what the database holds, with the state of the audit log before the restoration was recorded.
    package func move(
        documentsTo folder: URL, at time: Date, where isHere: @escaping @Sendable (String) -> Bool
    ) async throws -> Contents {
        let log = AuditLog(queue)
        let audit = try await log.verify()
        let requests = try await queue.write { db in
            var documents = 0
            for (table, column) in [("pending_requests", "result_file_path"), ("request_documents", "file_path")] {
                // By row: the columns have no index, and a search for each path would read the whole table.
                let rows = try Row.fetchAll(
                    db, sql: "SELECT rowid, \(column) AS path FROM \(table) WHERE \(column) IS NOT NULL")
                let update = try db.makeStatement(sql: "UPDATE \(table) SET \(column) = ? WHERE rowid = ?")
                for row in rows {
                    let name = URL(filePath: row["path"] as String).lastPathComponent
                    guard isHere(name) else { continue }
                    try update.execute(arguments: [folder.appending(path: name).path, row["rowid"] as Int64])
                    documents += 1
                }
            }
            try AuditLog.record(
                AuditEvent(
                    .brokerRestored, severity: .warning, details: ["documents": .number(Double(documents))],
                    time: time), in: db)
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM pending_requests") ?? 0
        }
        return Contents(requests: requests, audit: audit)
    }

    /// Closes the copy, which is then one file without a write-ahead log beside it.
    package func close() throws {
        try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
        try queue.close()
    }
}
