import GRDB

extension PhoneDatabase {
    /// Notes where the approval page is open; nil when it closes.
    package func notePage(origin: String?) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM open_page")
            guard let origin else { return }
            try database.execute(sql: "INSERT INTO open_page VALUES (1, ?)", arguments: [origin])
        }
    }

    /// Returns the origin of the approval page that was opened last and not closed.
    package func openPage() async throws -> String? {
        try await database.read { try String.fetchOne($0, sql: "SELECT origin FROM open_page") }
    }
}
