import Foundation

/// A question to a passkey that waits for its answer.
package struct PasskeyChallenge: Sendable, Hashable {
    package enum Ceremony: String, Sendable, Hashable { case register, login }

    package let id: UUID
    package let ceremony: Ceremony
    package let bytes: [UInt8]
    /// The user that a registration makes.
    package let userHandle: UUID
    package let deviceID: String
    package let timeZone: String
    /// The digest of the invitation that came with a registration.
    package let invitation: [UInt8]?
    package let expires: Date

    package init(
        id: UUID = UUID(), ceremony: Ceremony, bytes: [UInt8], userHandle: UUID = UUID(), deviceID: String,
        timeZone: String, invitation: [UInt8]? = nil, expires: Date
    ) {
        self.id = id
        self.ceremony = ceremony
        self.bytes = bytes
        self.userHandle = userHandle
        self.deviceID = deviceID
        self.timeZone = timeZone
        self.invitation = invitation
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

/// Passkeys, and the challenges for them. A challenge is answered once.
package struct PasskeyStore: Sendable {
    /// The most challenges that wait. Anyone can ask for one, so the oldest make room.
    private static let mostChallenges = 1000

    let database: any SQLDatabase

    package func add(_ challenge: PasskeyChallenge, at now: Date) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                """
                DELETE FROM passkey_challenges WHERE expires_at <= $1 OR id IN
                    (SELECT id FROM passkey_challenges ORDER BY expires_at DESC LIMIT 1000 OFFSET $2)
                """, [.time(now), .integer(Self.mostChallenges - 1)])
            _ = try session.change(
                """
                INSERT INTO passkey_challenges
                    (id, ceremony, challenge, user_handle, device_id, time_zone, invitation, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """,
                [
                    .uuid(challenge.id), .text(challenge.ceremony.rawValue), .bytes(challenge.bytes),
                    .uuid(challenge.userHandle), .text(challenge.deviceID), .text(challenge.timeZone),
                    .optional(challenge.invitation), .time(challenge.expires),
                ])
        }
    }

    /// Takes a challenge, so that a second answer to it finds none.
    package func take(
        _ id: UUID, _ ceremony: PasskeyChallenge.Ceremony, deviceID: String, at now: Date
    ) async throws -> PasskeyChallenge? {
        try await database.transaction(.writing) { session in
            guard
                let row = try session.row(
                    """
                    DELETE FROM passkey_challenges WHERE id = $1
                    RETURNING ceremony, challenge, user_handle, device_id, time_zone, invitation, expires_at
                    """, [.uuid(id)])
            else { return nil }
            let challenge = PasskeyChallenge(
                id: id, ceremony: ceremony, bytes: try row.bytes("challenge"),
                userHandle: try row.uuid("user_handle"), deviceID: try row.text("device_id"),
                timeZone: try row.text("time_zone"),
                invitation: try row.optional("invitation") { row, name throws(AssistantStoreError) in
                    try row.bytes(name)
                },
                expires: try row.time("expires_at"))
            guard try row.text("ceremony") == ceremony.rawValue, challenge.deviceID == deviceID,
                challenge.expires > now
            else { return nil }
            return challenge
        }
    }

    /// Makes a user with a first passkey.
    ///
    /// - Returns: false when the rule admits no new user.
    /// - Throws: ``AssistantStoreError`` with `conflict` when the credential is known already.
    package func register(_ passkey: StoredPasskey, _ signup: Signup, timeZone: String, at now: Date) async throws
        -> Bool
    {
        try await database.transaction(.writing) { session in
            guard try UserStore.insert(passkey.userID, signup, timeZone, now, session) else { return false }
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
    /// - Returns: false when the counter is no longer the one that was checked.
    package func count(_ passkey: StoredPasskey, _ signCount: UInt32) async throws -> Bool {
        try await database.transaction(.writing) { session in
            try session.change(
                "UPDATE passkeys SET sign_count = $1 WHERE credential_id = $2 AND sign_count = $3",
                [.integer(Int(signCount)), .bytes(passkey.credentialID), .integer(Int(passkey.signCount))]) == 1
        }
    }
}
