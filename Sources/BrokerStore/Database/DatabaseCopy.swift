import Files
import Foundation
import GRDB

/// Copies a broker's database as of one moment, while a broker may be writing it.
enum DatabaseCopy {
    /// Copies page by page with SQLite's online backup, checks the copy, and brings it to the disk.
    ///
    /// - Parameter file: a new file. It gets mode 0600.
    static func write(_ database: URL, to file: URL) throws -> BrokerBackup.Receipt {
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError("made", file.path) }
        defer { close(descriptor) }
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        let source = try DatabaseQueue(path: database.path, configuration: reading)
        let target = try DatabaseQueue(path: file.path)
        try source.backup(to: target)
        try source.close()
        let requests = try target.writeWithoutTransaction { db in
            // The copy is one file, without a write-ahead log beside it.
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            let verdict = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            guard verdict == ["ok"] else {
                throw StoreError(message: "the copy is damaged: \(verdict.prefix(3).joined(separator: "; "))")
            }
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM pending_requests") ?? 0
        }
        try target.close()
        guard fsync(descriptor) == 0 else { throw FileError("brought to the disk", file.path) }
        var status = stat()
        fstat(descriptor, &status)
        return BrokerBackup.Receipt(requests: requests, bytes: Int(status.st_size))
    }
}
