import KeyVault
import PhoneStore

/// The newest generation of the home's vault, in the phone's database.
///
/// It closes the database again at once: a vault may live long, and an open database keeps files beside it.
struct StoredGenerations: VaultGenerations {
    private let home: PhoneHome

    init(_ home: PhoneHome) {
        self.home = home
    }

    func newest(ofVault id: String) throws -> Int {
        let database = try PhoneDatabase(home)
        defer { database.close() }
        return try database.newestGeneration(ofVault: id)
    }

    func record(_ generation: Int, ofVault id: String) throws {
        let database = try PhoneDatabase(home)
        defer { database.close() }
        try database.recordGeneration(generation, ofVault: id)
    }
}
