import GRDB

extension PhoneDatabase {
    private static let language = "language"

    /// Returns the code of the language that the owner has chosen for the page; nil for the one that each browser asks for.
    package func language() async throws -> String? {
        try await database.read {
            try String.fetchOne($0, sql: "SELECT value FROM settings WHERE name = ?", arguments: [Self.language])
        }
    }

    package func setLanguage(_ code: String?) async throws {
        try await database.write {
            if let code {
                try $0.execute(
                    sql: "INSERT OR REPLACE INTO settings VALUES (?, ?)", arguments: [Self.language, code])
            } else {
                try $0.execute(sql: "DELETE FROM settings WHERE name = ?", arguments: [Self.language])
            }
        }
    }
}
