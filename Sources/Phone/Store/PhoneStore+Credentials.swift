import Foundation
import GRDB

extension PhoneStore {
    /// - Parameter areOther: the values differ from those that were stored before, so that a hold on them ends.
    func rememberCredentials(
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
    func credentialsVersion(forBank bankID: String) async throws -> String {
        try await database.read { try Self.credentialsVersion(forBank: bankID, in: $0) }
    }

    static func credentialsVersion(forBank bankID: String, in database: Database) throws -> String {
        try String.fetchOne(database, sql: "SELECT version FROM credentials WHERE bank_id = ?", arguments: [bankID])
            ?? ""
    }

    func recordCredentialUse(forBank bankID: String, at now: Date) async throws {
        try await database.write {
            try $0.execute(
                sql: "UPDATE credentials SET last_used_at = ? WHERE bank_id = ?",
                arguments: [StoreTime.text(now), bankID])
        }
    }

    func forgetCredentials(forBank bankID: String) async throws {
        try await database.write {
            try $0.execute(sql: "DELETE FROM credentials WHERE bank_id = ?", arguments: [bankID])
        }
    }
}
