import Foundation
import GRDB
import KeyVault

/// The newest generation of the home's vault, in the phone's database.
struct StoredGenerations: VaultGenerations {
    private let home: PhoneHome

    init(_ home: PhoneHome) {
        self.home = home
    }

    /// Closes the database again at once: a vault may live long, and an open database keeps files beside it.
    private func withDatabase<Success>(_ body: (DatabasePool) throws -> Success) throws -> Success {
        let database = try PhoneStore(home).database
        defer { try? database.close() }
        return try body(database)
    }

    func newest(ofVault id: String) throws -> Int {
        try withDatabase { database in
            try database.read { database in
                try Int.fetchOne(
                    database, sql: "SELECT generation FROM vault_generations WHERE vault_id = ?", arguments: [id]) ?? 0
            }
        }
    }

    func record(_ generation: Int, ofVault id: String) throws {
        try withDatabase { database in
            try database.write {
                try $0.execute(
                    sql: "INSERT OR REPLACE INTO vault_generations VALUES (?, ?)", arguments: [id, generation])
            }
        }
    }
}
