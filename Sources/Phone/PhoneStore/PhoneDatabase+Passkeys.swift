import Encodings
import Foundation
import GRDB
import Secrets

extension PhoneDatabase {
    /// The part of a passkey that changes with each use. Its public key is in the vault's slot, which only an open
    /// vault can change.
    package struct PasskeyState: Sendable, Hashable {
        package let signCount: UInt32
        package let isBackupEligible: Bool
        package let lastUsedAt: Date?
    }

    package func rememberPasskey(
        _ credentialID: [UInt8], signCount: UInt32, isBackupEligible: Bool, at now: Date
    ) async throws {
        try await database.write {
            try $0.execute(
                sql: "INSERT OR REPLACE INTO passkeys VALUES (?, ?, ?, ?, NULL)",
                arguments: [
                    Base64URL.encode(credentialID), Int64(signCount), isBackupEligible, StoreTime.text(now),
                ])
        }
    }

    package func passkeyState(_ credentialID: [UInt8]) async throws -> PasskeyState? {
        try await database.read { database in
            try Row.fetchOne(
                database, sql: "SELECT * FROM passkeys WHERE credential_id = ?",
                arguments: [Base64URL.encode(credentialID)]
            ).map {
                PasskeyState(
                    signCount: UInt32(clamping: $0["sign_count"] as Int64), isBackupEligible: $0["is_backup_eligible"],
                    lastUsedAt: StoreTime.date($0["last_used_at"]))
            }
        }
    }

    /// Stores the new signature counter, unless another use has changed it in between.
    ///
    /// - Returns: false when the stored counter is not `before`: of two answers with the same counter, only one counts.
    package func recordPasskeyUse(
        _ credentialID: [UInt8], before: UInt32, now signCount: UInt32, at now: Date
    ) async throws -> Bool {
        try await database.write { database in
            try database.execute(
                sql: "UPDATE passkeys SET sign_count = ?, last_used_at = ? WHERE credential_id = ? AND sign_count = ?",
                arguments: [Int64(signCount), StoreTime.text(now), Base64URL.encode(credentialID), Int64(before)])
            return database.changesCount == 1
        }
    }

    package func forgetPasskey(_ credentialID: [UInt8]) async throws {
        try await database.write {
            try $0.execute(
                sql: "DELETE FROM passkeys WHERE credential_id = ?", arguments: [Base64URL.encode(credentialID)])
        }
    }
}
