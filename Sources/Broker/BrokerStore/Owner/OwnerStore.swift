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

    /// The source for which the phones speak together: the approval page's setting.
    private static let phonesSource = "page"

    private static let phonePrefix = "phone "

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
    /// - Parameter language: nil from a phone that says none.
    package func language(afterPhone device: String, says language: String?) async throws -> String? {
        try await database.write { db in
            let before = try Self.told(Self.phonePrefix + device, in: db)
            try Self.set(language ?? "", of: Self.phonePrefix + device, in: db)
            var together = language
            if language == nil {
                together = try Self.told(Self.phonesSource, in: db)
                if let before, !before.isEmpty { together = try Self.spoken(together, in: db) }
            }
            try Self.set(together, of: Self.phonesSource, in: db)
            return together
        }
    }

    /// Forgets what a removed phone said. Where no other phone says the same, the phones speak together as those that are left.
    static func forgetPhone(_ device: String, in db: Database) throws {
        let said = try told(phonePrefix + device, in: db)
        try set(nil, of: phonePrefix + device, in: db)
        guard let said, try told(phonesSource, in: db) == said else { return }
        try set(try spoken(said, in: db), of: phonesSource, in: db)
    }

    /// Returns a language if a phone says it, and else one that a phone says; nil when each says none.
    private static func spoken(_ language: String?, in db: Database) throws -> String? {
        let all = try String.fetchAll(
            db,
            sql: """
                SELECT language FROM owner_languages
                WHERE language <> '' AND substr(source, 1, length(?1)) = ?1
                    AND source NOT IN (SELECT ?1 || id FROM devices WHERE removed_at IS NOT NULL)
                ORDER BY source
                """, arguments: [phonePrefix])
        return language.flatMap { all.contains($0) ? $0 : nil } ?? all.first
    }

    private static func told(_ source: String, in db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT language FROM owner_languages WHERE source = ?", arguments: [source])
    }

    private static func set(_ language: String?, of source: String, in db: Database) throws {
        try db.execute(sql: "DELETE FROM owner_languages WHERE source = ?", arguments: [source])
        guard let language else { return }
        try db.execute(sql: "INSERT INTO owner_languages VALUES (?, ?)", arguments: [source, language])
    }

    /// Keeps what a source told last.
    ///
    /// - Parameter language: nil when it tells no language any more.
    package func keep(language: String?, from source: String) async throws {
        try await database.write { db in try Self.set(language, of: source, in: db) }
    }
}
