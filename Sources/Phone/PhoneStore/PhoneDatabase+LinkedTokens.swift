import Foundation
import GRDB

/// A link between a bank and the token that answers it. The token itself is in the vault.
package struct LinkedToken: Sendable, Hashable {
    package let bankID: String
    package let tokenID: UUID
    /// The issuer that the token named when it was linked.
    package let issuer: String

    package init(bankID: String, tokenID: UUID, issuer: String) {
        self.bankID = bankID
        self.tokenID = tokenID
        self.issuer = issuer
    }
}

extension PhoneDatabase {
    package func remember(_ link: LinkedToken, at now: Date = Date()) async throws {
        try await database.write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO second_factor_links VALUES (?, ?, ?, ?)",
                arguments: [
                    link.bankID, link.tokenID.uuidString, link.issuer, StoreTime.text(now),
                ])
        }
    }

    package func forgetLinkedToken(ofBank bankID: String) async throws {
        try await database.write {
            try $0.execute(sql: "DELETE FROM second_factor_links WHERE bank_id = ?", arguments: [bankID])
        }
    }

    package func linkedTokens() async throws -> [LinkedToken] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM second_factor_links ORDER BY bank_id").compactMap { row in
                UUID(uuidString: row["token_id"]).map {
                    LinkedToken(bankID: row["bank_id"], tokenID: $0, issuer: row["issuer"])
                }
            }
        }
    }
}
