import GRDB

extension PhoneDatabase {
    /// Returns the names that the person gave the slots of the vault, by slot id. The name inside a slot is bound into
    /// its encryption and never changes.
    package func slotNames() async throws -> [String: String] {
        try await database.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT slot_id, name FROM slot_names")
            return Dictionary(rows.map { ($0["slot_id"], $0["name"]) }, uniquingKeysWith: { $1 })
        }
    }

    package func nameSlot(_ id: String, _ name: String) async throws {
        try await database.write {
            try $0.execute(sql: "INSERT OR REPLACE INTO slot_names VALUES (?, ?)", arguments: [id, name])
        }
    }
}
