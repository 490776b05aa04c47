import Files
import Foundation
import GRDB

/// A copy of the broker's database that is as of one moment, made while a broker runs on it or not.
///
/// The accepted PDFs lie beside the database, in `statements`; they are plain files, copied as such.
public enum BrokerBackup {
    /// What was copied.
    public struct Receipt: Sendable, Hashable {
        public let requests: Int
        public let bytes: Int
    }

    /// Copies page by page with SQLite's own backup, checks the copy, and gives it its name last.
    ///
    /// - Parameter file: must not be there yet. It has mode 0600.
    /// - Throws: ``StoreError``; then there is no file of that name.
    public static func write(_ database: URL, to file: URL) throws(StoreError) -> Receipt {
        guard FileManager.default.fileExists(atPath: database.path) else {
            throw StoreError(
                message: "\(database.path) is not there; set BROKER_DATABASE_PATH to the broker’s database")
        }
        guard !FileManager.default.fileExists(atPath: file.path) else {
            throw StoreError(message: "\(file.path) is there already; give another name, or move it away")
        }
        let temporary = file.deletingLastPathComponent()
            .appending(path: ".\(file.lastPathComponent).\(UUID().uuidString.prefix(8)).tmp")
        defer { for ending in ["", "-journal", "-wal", "-shm"] { unlink(temporary.path + ending) } }
        do {
            let receipt = try copy(database, to: temporary)
            // link(2) refuses a name that has come to exist meanwhile, which rename(2) would replace.
            guard link(temporary.path, file.path) == 0 else { throw FileError("given its name", file.path) }
            try AtomicFile.synchronise(folder: file.deletingLastPathComponent())
            return receipt
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(message: "the backup failed: \(error)")
        }
    }

    private static func copy(_ database: URL, to temporary: URL) throws -> Receipt {
        let descriptor = open(temporary.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError("made", temporary.path) }
        defer { close(descriptor) }
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        let source = try DatabaseQueue(path: database.path, configuration: reading)
        let target = try DatabaseQueue(path: temporary.path)
        try source.backup(to: target)
        try source.close()
        let requests = try target.writeWithoutTransaction { db in
            // One file, whole by itself.
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            let verdict = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            guard verdict == ["ok"] else {
                throw StoreError(message: "the copy is damaged: \(verdict.prefix(3).joined(separator: "; "))")
            }
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM pending_requests") ?? 0
        }
        try target.close()
        guard fsync(descriptor) == 0 else { throw FileError("brought to the disk", temporary.path) }
        var status = stat()
        fstat(descriptor, &status)
        return Receipt(requests: requests, bytes: Int(status.st_size))
    }
}
