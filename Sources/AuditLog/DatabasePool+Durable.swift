import GRDB

extension DatabasePool {
    /// Opens a database whose commits are on the disk when they return, as they outlast a power cut then
    /// (SQLite, “PRAGMA synchronous”: `FULL`; on Apple’s systems, where `fsync` alone leaves them in the drive,
    /// “PRAGMA fullfsync”).
    ///
    /// GRDB sets `NORMAL` when it has opened a pool, after all that its configuration prepares: that is safe from a crash of
    /// the program, and no more.
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
