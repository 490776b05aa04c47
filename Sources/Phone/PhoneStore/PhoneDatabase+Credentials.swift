import Foundation
import GRDB

extension PhoneDatabase {
    /// - Parameter areOther: the values differ from those that were stored before, so that a hold on them ends.
    package func rememberCredentials(
        forBank bankID: String, username: String, password: String, areOther: Bool, at now: Date
    ) async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO credentials (id, bank_id, username_keychain_ref, password_keychain_ref, created_at,
                        updated_at, version)
                    VALUES (:id, :bank, :username, :password, :now, :now, :version)
                    ON CONFLICT (bank_id) DO UPDATE SET username_keychain_ref = excluded.username_keychain_ref,
                        password_keychain_ref = excluded.password_keychain_ref, updated_at = excluded.updated_at,
                        version = CASE WHEN :other THEN excluded.version ELSE version END
                    """,
                arguments: [
                    "id": UUID().uuidString.lowercased(), "bank": bankID, "username": username, "password": password,
                    "now": StoreTime.text(now), "version": UUID().uuidString.lowercased(), "other": areOther,
                ])
        }
    }

    /// Returns the version of a bank's credentials: another one whenever other values are stored.
    package func credentialsVersion(forBank bankID: String) async throws -> String {
        try await database.read { try Self.credentialsVersion(forBank: bankID, in: $0) }
    }

    static func credentialsVersion(forBank bankID: String, in database: Database) throws -> String {
        try String.fetchOne(database, sql: "SELECT version FROM credentials WHERE bank_id = ?", arguments: [bankID])
            ?? ""
    }

    package func recordCredentialUse(forBank bankID: String, at now: Date) async throws {
        try await database.write {
            try $0.execute(
                sql: "UPDATE credentials SET last_used_at = ? WHERE bank_id = ?",
                arguments: [StoreTime.text(now), bankID])
        }
    }

    package func forgetCredentials(forBank bankID: String) async throws {
        try await database.write {
            try $0.execute(sql: "DELETE FROM credentials WHERE bank_id = ?", arguments: [bankID])
            try $0.execute(sql: "DELETE FROM accounts WHERE bank_id = ?", arguments: [bankID])
            try $0.execute(sql: "DELETE FROM page_skeletons WHERE bank_id = ?", arguments: [bankID])
        }
    }

    /// Returns when each bank's credentials were changed and used last.
    package func credentialTimes() async throws -> [String: (changed: Date?, used: Date?)] {
        try await database.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT bank_id, updated_at, last_used_at FROM credentials")
            return Dictionary(
                rows.map { row in
                    (row["bank_id"], (StoreTime.date(row["updated_at"]), StoreTime.date(row["last_used_at"])))
                }, uniquingKeysWith: { $1 })
        }
    }
}
