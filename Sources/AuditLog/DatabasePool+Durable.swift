import GRDB

extension DatabasePool {
    /// Opens a database whose commits survive a power cut: they are on the disk when they return (SQLite, "PRAGMA
    /// synchronous": `FULL`; on Apple's systems, where `fsync` leaves data in the drive's cache, also "PRAGMA fullfsync").
    ///
    /// GRDB sets `NORMAL` on a pool after the configuration's own preparation. That survives a crash of the program only.
    ///
    /// - Throws: `DatabaseError`.
    package static func durable(_ path: String, _ configuration: Configuration) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            try db.execute(
                sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        }
        return pool
    }
}
