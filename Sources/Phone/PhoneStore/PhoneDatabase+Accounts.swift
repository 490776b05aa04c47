import Foundation
import GRDB
import Messages

/// An account of the person at a bank, as the last visit found it.
package struct StoredAccount: Sendable, Hashable {
    package let bankID: String
    /// The name as the bank writes it, which may hold the account's number. It stays on this phone.
    package let name: String
    /// The alias that brokers and agents see.
    package let alias: AccountAlias
    /// The person chose the alias; otherwise the script did.
    package let isChosen: Bool
}

extension PhoneDatabase {
    static let accountsTable = """
        CREATE TABLE accounts (
            bank_id TEXT NOT NULL,
            name TEXT NOT NULL,
            alias TEXT NOT NULL,
            is_chosen INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (bank_id, name),
            UNIQUE (bank_id, alias)
        );
        """

    /// Returns the accounts of a bank, or of every bank, in the order of their aliases.
    package func accounts(ofBank bankID: String? = nil) async throws -> [StoredAccount] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM accounts WHERE bank_id = coalesce(?, bank_id)", arguments: [bankID]
            ).compactMap { row in
                AccountAlias(row["alias"]).map {
                    StoredAccount(bankID: row["bank_id"], name: row["name"], alias: $0, isChosen: row["is_chosen"])
                }
            }.sorted { ($0.bankID, $0.alias) < ($1.bankID, $1.alias) }
        }
    }

    /// Keeps the accounts that a bank lists. An alias that the person chose stays; accounts that the bank lists no more go.
    package func keep(_ listed: [(name: String, alias: AccountAlias)], ofBank bankID: String) async throws {
        try await database.write { database in
            let names = Set(listed.map(\.name))
            let known = try Row.fetchAll(database, sql: "SELECT * FROM accounts WHERE bank_id = ?", arguments: [bankID])
            for row in known where !names.contains(row["name"]) || !(row["is_chosen"] as Bool) {
                try database.execute(
                    sql: "DELETE FROM accounts WHERE bank_id = ? AND name = ?",
                    arguments: [bankID, row["name"] as String])
            }
            for account in listed {
                // An alias that the person gave another account is taken.
                try database.execute(
                    sql: "INSERT OR IGNORE INTO accounts (bank_id, name, alias) VALUES (?, ?, ?)",
                    arguments: [bankID, account.name, account.alias.description])
            }
        }
    }

    /// Gives an account another alias.
    ///
    /// - Throws: ``PhoneError`` that lists the accounts there are, or says that another one has the alias.
    package func rename(_ alias: AccountAlias, to new: AccountAlias, ofBank bankID: String) async throws {
        let known = try await accounts(ofBank: bankID)
        guard known.contains(where: { $0.alias == alias }) else {
            let there =
                known.isEmpty
                ? "none is known before the first visit; ask for a statement with: countersign request last-month --bank \(bankID)"
                : "its accounts are \(known.map(\.alias.description).joined(separator: ", "))"
            throw PhoneError(.invalidSetting, "the bank “\(bankID)” has no account “\(alias)”; \(there)")
        }
        guard alias == new || !known.contains(where: { $0.alias == new }) else {
            throw PhoneError(.invalidSetting, "another account of this bank is called “\(new)”; choose another alias")
        }
        try await database.write {
            try $0.execute(
                sql: "UPDATE accounts SET alias = ?, is_chosen = 1 WHERE bank_id = ? AND alias = ?",
                arguments: [new.description, bankID, alias.description])
        }
    }
}
