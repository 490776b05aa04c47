import Foundation
import GRDB
import KeyVault
import Synchronization

/// The newest generation of the home's vault, in the phone's database.
final class StoredGenerations: VaultGenerations {
    private let home: PhoneHome
    private let opened = Mutex<PhoneStore?>(nil)

    init(_ home: PhoneHome) {
        self.home = home
    }

    private func store() throws -> PhoneStore {
        try opened.withLock { opened in
            let store = try opened ?? PhoneStore(home)
            opened = store
            return store
        }
    }

    func newest(ofVault id: String) throws -> Int {
        try store().database.read { database in
            try Int.fetchOne(
                database, sql: "SELECT generation FROM vault_generations WHERE vault_id = ?", arguments: [id]) ?? 0
        }
    }

    func record(_ generation: Int, ofVault id: String) throws {
        try store().database.write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO vault_generations VALUES (?, ?)", arguments: [id, generation])
        }
    }
}
