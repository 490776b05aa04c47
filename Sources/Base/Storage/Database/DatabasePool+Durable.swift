import Foundation
import GRDB
import Machine
import Synchronization

extension DatabasePool {
    /// Opens a database whose commits survive a power cut: they are on the disk when they return (SQLite, "PRAGMA
    /// synchronous": `FULL`; on Apple's systems, where `fsync` leaves data in the drive's cache, also "PRAGMA fullfsync").
    ///
    /// GRDB sets `NORMAL` on a pool after the configuration's own preparation. That survives a crash of the program only.
    ///
    /// Deleted rows are overwritten; see ``eraseDeleted()``.
    ///
    /// A file that is missing is made, with mode 0600, which SQLite then gives to its side files.
    ///
    /// - Throws: `FileError` when the file cannot be made or is not a regular file; `DatabaseError`.
    package static func durable(_ path: String, _ configuration: Configuration) throws -> DatabasePool {
        try makeFile(path)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
                    PRAGMA secure_delete = ON
                    """)
        }
        return pool
    }

    /// Removes what was deleted from the files. Deletion overwrites rows in the database's file (`secure_delete`), but earlier
    /// versions of their pages stay in the write-ahead log until it begins anew. This copies the log into the file and empties it.
    ///
    /// - Throws: `DatabaseError`, for example while a reader of another process needs the log.
    package func eraseDeleted() throws {
        _ = try writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    /// Makes the file without ever opening one that is there: when a process closes any descriptor of a file, it loses all
    /// locks that SQLite holds on it, another process then takes the database for unused, and both damage it ("How To
    /// Corrupt An SQLite Database File", section 2.2).
    private static func makeFile(_ path: String) throws(FileError) {
        try creation.withLock { (_) throws(FileError) in
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor >= 0 {
                Foundation.close(descriptor)
                return
            }
            guard errno == EEXIST else { throw FileError("made", path) }
            var status = stat()
            guard lstat(path, &status) == 0 else { throw FileError("read", path) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw FileError("opened", path, ELOOP) }
            guard chmod(path, 0o600) == 0 else { throw FileError("made private", path) }
        }
    }

    /// Another thread must not open the new file before its maker has closed it.
    private static let creation = Mutex(())
}
