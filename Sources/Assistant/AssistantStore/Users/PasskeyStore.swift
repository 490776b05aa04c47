import Foundation

/// The table of answered challenges. It takes the place of one of the challenges that waited, which strangers filled.
enum AnsweredChallengeSchema {
    static let sql = """
        DROP TABLE passkey_challenges;
        CREATE TABLE answered_challenges (
            digest BYTEA PRIMARY KEY NOT NULL,
            expires_at TIMESTAMPTZ NOT NULL
        );
        CREATE INDEX answered_challenges_by_end ON answered_challenges (expires_at);
        """
}

/// A challenge that a passkey answered rightly. The store keeps it until it is too old, so that it counts once.
package struct AnsweredChallenge: Sendable, Hashable {
    package let digest: [UInt8]
    package let expires: Date

    package init(digest: [UInt8], expires: Date) {
        self.digest = digest
        self.expires = expires
    }
}

/// A passkey of a user.
package struct StoredPasskey: Sendable, Hashable {
    package let credentialID: [UInt8]
    package let userID: UUID
    package let publicKey: [UInt8]
    package let signCount: UInt32
    package let isBackupEligible: Bool

    package init(
        credentialID: [UInt8], userID: UUID, publicKey: [UInt8], signCount: UInt32, isBackupEligible: Bool
    ) {
        self.credentialID = credentialID
        self.userID = userID
        self.publicKey = publicKey
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
    }
}

/// Passkeys, and the challenges that they answered.
///
/// A challenge that waits for its answer is not stored: anyone can ask for one, and would displace others'.
package struct PasskeyStore: Sendable {
    let database: any SQLDatabase

    /// Notes that a challenge was answered.
    ///
    /// - Returns: false when it was answered before.
    private static func use(_ challenge: AnsweredChallenge, _ now: Date, _ session: any SQLSession) throws -> Bool {
        _ = try session.change("DELETE FROM answered_challenges WHERE expires_at <= $1", [.time(now)])
        return try session.change(
            "INSERT INTO answered_challenges (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
            [.bytes(challenge.digest), .time(challenge.expires)]) == 1
    }

    /// Makes a user with a first passkey.
    ///
    /// - Returns: false when the rule admits no new user. Then nothing is stored, of the challenge neither.
    /// - Throws: ``AssistantStoreError`` with `conflict` when the credential is known already, or the challenge was
    ///   answered before.
    package func register(
        _ passkey: StoredPasskey, _ signup: Signup, timeZone: String, answering challenge: AnsweredChallenge,
        at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            guard try UserStore.insert(passkey.userID, signup, timeZone, now, session) else { return false }
            guard try Self.use(challenge, now, session) else {
                throw AssistantStoreError(.conflict, "the challenge was answered before")
            }
            _ = try session.change(
                """
                INSERT INTO passkeys (credential_id, user_id, public_key, sign_count, backup_eligible, created_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    .bytes(passkey.credentialID), .uuid(passkey.userID), .bytes(passkey.publicKey),
                    .integer(Int(passkey.signCount)), .bool(passkey.isBackupEligible), .time(now),
                ])
            return true
        }
    }

    /// Returns a passkey of a user who is not being deleted.
    package func passkey(_ credentialID: [UInt8]) async throws -> StoredPasskey? {
        try await database.transaction(.reading) { session in
            try session.row(
                """
                SELECT user_id, public_key, sign_count, backup_eligible FROM passkeys
                JOIN users ON users.id = passkeys.user_id WHERE credential_id = $1 AND users.status = 'ACTIVE'
                """, [.bytes(credentialID)]
            ).map { row in
                StoredPasskey(
                    credentialID: credentialID, userID: try row.uuid("user_id"), publicKey: try row.bytes("public_key"),
                    signCount: UInt32(clamping: try row.integer("sign_count")),
                    isBackupEligible: try row.bool("backup_eligible"))
            }
        }
    }

    /// Stores the new counter, unless another sign-in was faster.
    ///
    /// - Returns: false when the counter is no longer the one that was checked, or the challenge was answered before.
    package func count(
        _ passkey: StoredPasskey, _ signCount: UInt32, answering challenge: AnsweredChallenge, at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            guard try Self.use(challenge, now, session) else { return false }
            return try session.change(
                "UPDATE passkeys SET sign_count = $1 WHERE credential_id = $2 AND sign_count = $3",
                [.integer(Int(signCount)), .bytes(passkey.credentialID), .integer(Int(passkey.signCount))]) == 1
        }
    }
}
