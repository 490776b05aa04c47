import GRDB

/// A database that a newer version of this program has changed. An older version would misread it.
package struct NewerDatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String

    package var description: String {
        "\(path) was written by a newer version of countersign, and is unchanged; install that version again, or restore a "
            + "backup from before the upgrade"
    }
}

extension DatabaseMigrator {
    /// Applies the migrations that the database has not seen.
    ///
    /// - Throws: ``NewerDatabaseError`` when it has seen migrations that this program does not know. Nothing has changed
    ///   then.
    package func migrateUnlessNewer(_ database: any DatabaseWriter) throws {
        try refuseNewer(database)
        try migrate(database)
    }

    /// - Throws: ``NewerDatabaseError`` when the database has seen migrations that this program does not know.
    package func refuseNewer(_ database: any DatabaseReader) throws {
        let isNewer = try database.read { db in try hasBeenSuperseded(db) }
        if isNewer { throw NewerDatabaseError(path: database.path) }
    }
}
