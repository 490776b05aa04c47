import Foundation
import GRDB
import Storage

/// A bank that knows this phone again, by cookies that are sealed in the vault.
package struct KnownByBank: Sendable, Hashable {
    package var bankID: String
    /// The visit at which the bank began to know it.
    package var since: Date
}

extension PhoneDatabase {
    static let banksThatKnowThisPhone = """
        CREATE TABLE banks_that_know_this_phone (bank_id TEXT PRIMARY KEY, since TEXT NOT NULL);
        """

    /// Returns the banks that know this phone, in the order of their ids. A sealed cookie counts only while its bank is here, so
    /// that a person can have it forgotten without the vault.
    package func banksThatKnowThisPhone() async throws -> [KnownByBank] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM banks_that_know_this_phone ORDER BY bank_id").compactMap {
                row in
                StoreTime.date(row["since"]).map { KnownByBank(bankID: row["bank_id"], since: $0) }
            }
        }
    }

    /// Records that a bank knows this phone; the first moment stays.
    ///
    /// - Returns: true if it did not know it before.
    package func rememberKnown(byBank bankID: String, since now: Date) async throws -> Bool {
        try await database.write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO banks_that_know_this_phone (bank_id, since) VALUES (?, ?)",
                arguments: [bankID, StoreTime.text(now)])
            return database.changesCount > 0
        }
    }

    /// - Returns: false if the bank did not know this phone.
    package func forgetKnown(byBank bankID: String) async throws -> Bool {
        try await database.write { database in
            try database.execute(
                sql: "DELETE FROM banks_that_know_this_phone WHERE bank_id = ?", arguments: [bankID])
            return database.changesCount > 0
        }
    }
}
