import Foundation
import GRDB
import Machine
import Storage

/// Backs up the broker's database as of one moment, whether a broker runs on it or not.
///
/// The accepted documents lie beside the database in `statements`. They are plain files, and not part of this backup.
package enum BrokerBackup {
    /// The extent of a backup.
    package struct Receipt: Sendable, Hashable {
        package let requests: Int
        package let bytes: Int
    }

    /// Copies the database, checks the copy, and gives it its name last.
    ///
    /// - Parameter file: the copy, with mode 0600. It must not exist yet.
    /// - Throws: ``StoreError``; then no file has that name.
    package static func write(_ database: URL, to file: URL) throws(StoreError) -> Receipt {
        try BrokerDatabase.checkExists(database)
        guard !FileManager.default.fileExists(atPath: file.path) else {
            throw StoreError(message: "\(file.path) exists already; give another name, or move it away")
        }
        guard FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path) else {
            throw StoreError(
                message:
                    "the folder \(file.deletingLastPathComponent().path) does not exist; make it with mkdir -p, or give "
                    + "another place")
        }
        let temporary = file.deletingLastPathComponent()
            .appending(path: ".\(file.lastPathComponent).\(UUID().uuidString.prefix(8)).tmp")
        defer { for ending in ["", "-journal", "-wal", "-shm"] { unlink(temporary.path + ending) } }
        do {
            let copy = try DatabaseCopy.write(database, to: temporary) { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM pending_requests") ?? 0
            }
            let receipt = Receipt(requests: copy.value, bytes: copy.bytes)
            // link(2) fails when the name was taken meanwhile; rename(2) would replace the file.
            guard link(temporary.path, file.path) == 0 else { throw FileError("given its name", file.path) }
            try AtomicFile.synchronise(folder: file.deletingLastPathComponent())
            return receipt
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "the backup failed: \(error)")
        }
    }
    /// Returns whether the secrets in a copy were sealed with this secret.
    ///
    /// - Throws: ``StoreError`` when the copy is not a broker's database, or is one from before the sealing.
    package static func isSealed(_ copy: URL, with sealing: Sealing) throws(StoreError) -> Bool {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: copy.path, configuration: configuration)
            let isSealed = try queue.read { db in try SealedColumns.areSealed(with: sealing, in: db) }
            try queue.close()
            return isSealed
        } catch {
            throw StoreError(
                message: "\(copy.path) is not a broker database of this version (\(error)); start the broker on it once"
            )
        }
    }
}
