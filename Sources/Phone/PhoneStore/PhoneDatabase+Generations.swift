import GRDB

extension PhoneDatabase {
    /// Returns the newest generation of a vault that this database knows; 0 for an unknown vault.
    package func newestGeneration(ofVault id: String) throws -> Int {
        try database.read {
            try Int.fetchOne(
                $0, sql: "SELECT generation FROM vault_generations WHERE vault_id = ?", arguments: [id]) ?? 0
        }
    }

    package func recordGeneration(_ generation: Int, ofVault id: String) throws {
        try database.write {
            try $0.execute(sql: "INSERT OR REPLACE INTO vault_generations VALUES (?, ?)", arguments: [id, generation])
        }
    }
}
