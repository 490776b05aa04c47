import Foundation
import GRDB
import Machine

/// A copy of a database that SQLite finds damaged.
package struct DamagedCopyError: Error, CustomStringConvertible {
    package let description: String
}

/// Copies a database as of one moment, while another process may be writing it.
package enum DatabaseCopy {
    /// Copies page by page with SQLite's online backup, checks the copy, and brings it to the disk.
    ///
    /// - Parameters:
    ///   - file: a new file. It gets mode 0600, and no write-ahead log beside it.
    ///   - look: reads what the caller wants to know of the copy.
    /// - Throws: `FileError`, `DatabaseError`, ``DamagedCopyError``, and what `look` throws.
    package static func write<Value>(
        _ database: URL, to file: URL, _ look: (Database) throws -> Value
    ) throws -> (value: Value, bytes: Int) {
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
        let value = try target.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            let verdict = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            guard verdict == ["ok"] else {
                throw DamagedCopyError(
                    description: "the copy is damaged: \(verdict.prefix(3).joined(separator: "; "))")
            }
            return try look(db)
        }
        try target.close()
        guard fsync(descriptor) == 0 else { throw FileError("brought to the disk", file.path) }
        var status = stat()
        fstat(descriptor, &status)
        return (value, Int(status.st_size))
    }
}
