import GRDB

/// The names of the programs that give credentials, for a page that lists banks while the vault is closed. Their commands are in
/// the vault alone.
extension PhoneDatabase {
    static let credentialPrograms = """
        CREATE TABLE credential_programs (
            bank_id TEXT NOT NULL,
            credential TEXT NOT NULL,
            program TEXT NOT NULL,
            PRIMARY KEY (bank_id, credential)
        ) STRICT, WITHOUT ROWID;
        """

    /// - Parameter program: the program's name, without its folder and its arguments.
    package func remember(program: String, for credential: String, atBank bankID: String) async throws {
        try await database.write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO credential_programs VALUES (?, ?, ?)",
                arguments: [bankID, credential, program])
        }
    }

    package func forgetPrograms(of credentials: [String], atBank bankID: String) async throws {
        try await database.write { database in
            for credential in credentials {
                try database.execute(
                    sql: "DELETE FROM credential_programs WHERE bank_id = ? AND credential = ?",
                    arguments: [bankID, credential])
            }
        }
    }

    /// Returns the names of the programs, by bank and credential.
    package func credentialPrograms() async throws -> [String: [String: String]] {
        try await database.read { database in
            var programs: [String: [String: String]] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT bank_id, credential, program FROM credential_programs") {
                programs[row["bank_id"], default: [:]][row["credential"]] = row["program"]
            }
            return programs
        }
    }
}
