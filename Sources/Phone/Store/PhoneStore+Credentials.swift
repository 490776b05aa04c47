import Foundation
import GRDB

extension PhoneStore {
    func rememberCredentials(
        forBank bankID: String, username: String, password: String, at now: Date
    ) async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO credentials VALUES (:id, :bank, :username, :password, :now, :now, NULL)
                    ON CONFLICT (bank_id) DO UPDATE SET username_keychain_ref = excluded.username_keychain_ref,
                        password_keychain_ref = excluded.password_keychain_ref, updated_at = excluded.updated_at
                    """,
                arguments: [
                    "id": UUID().uuidString.lowercased(), "bank": bankID, "username": username, "password": password,
                    "now": StoreTime.text(now),
                ])
        }
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
