import Foundation
import GRDB

/// That credentials for a bank are stored, and under which names in the vault; never what they are.
public struct CredentialReference: Sendable, Hashable {
    public let bankID: String
    public let createdAt: Date
    public let updatedAt: Date
    public let lastUsedAt: Date?
}

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

    func usedCredentials(forBank bankID: String, at now: Date) async throws {
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

    public func credentialReferences() async throws -> [CredentialReference] {
        try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM credentials ORDER BY bank_id").map {
                CredentialReference(
                    bankID: $0["bank_id"], createdAt: StoreTime.date($0["created_at"]) ?? .distantPast,
                    updatedAt: StoreTime.date($0["updated_at"]) ?? .distantPast,
                    lastUsedAt: StoreTime.date($0["last_used_at"]))
            }
        }
    }
}
