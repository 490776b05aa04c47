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

    /// Keeps what a phone says of its owner's language, and returns what the owner's phones say together. A phone that says none
    /// withdraws what it said itself, and nothing that another phone said.
    ///
    /// - Parameters:
    ///   - language: nil from a phone that says none.
    ///   - source: the source for which the phones speak.
    package func language(
        afterPhone device: String, says language: String?, as source: String
    ) async throws -> String? {
        try await database.write { db in
            let prefix = "phone "
            func told(_ source: String) throws -> String? {
                try String.fetchOne(
                    db, sql: "SELECT language FROM owner_languages WHERE source = ?", arguments: [source])
            }
            let before = try told(prefix + device)
            try db.execute(
                sql: "INSERT OR REPLACE INTO owner_languages VALUES (?, ?)",
                arguments: [prefix + device, language ?? ""])
            if let language { return language }
            let present = try told(source)
            guard let before, !before.isEmpty else { return present }
            let others = try String.fetchAll(
                db,
                sql: """
                    SELECT language FROM owner_languages
                    WHERE language <> '' AND (source = ?1 || ?2
                        OR source IN (SELECT ?1 || id FROM devices WHERE removed_at IS NULL))
                    ORDER BY source
                    """, arguments: [prefix, DeviceStore.defaultDeviceName])
            return present.flatMap { others.contains($0) ? $0 : nil } ?? others.first
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
