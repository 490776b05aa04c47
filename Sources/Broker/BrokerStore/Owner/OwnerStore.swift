import GRDB

/// The broker's knowledge of its owner, for messages to them.
package struct OwnerStore: Sendable {
    static let languagesTable = """
        -- The owner's language, as each source last told it.
        CREATE TABLE owner_languages (
            source TEXT PRIMARY KEY NOT NULL,
            language TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    let database: BrokerDatabase

    /// Returns the languages that were told, by their sources, as codes of BCP 47.
    package func languages() async throws -> [String: String] {
        try await database.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT source, language FROM owner_languages")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["source"], $0["language"]) })
        }
    }

    /// Keeps what a source told last.
    ///
    /// - Parameter language: nil when it tells no language any more.
    package func keep(language: String?, from source: String) async throws {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM owner_languages WHERE source = ?", arguments: [source])
            guard let language else { return }
            try db.execute(sql: "INSERT INTO owner_languages VALUES (?, ?)", arguments: [source, language])
        }
    }
}
