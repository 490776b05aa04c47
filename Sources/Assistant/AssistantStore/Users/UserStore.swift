import Foundation

/// The rule by which a stranger becomes a user: `ASSISTANT_SIGNUP`.
package enum Signup: Sendable, Hashable {
    case open
    /// Only with an invitation, given by its digest.
    case invite([UInt8]?)
    case closed
}

/// The outcome of a sign-in by an identity.
package enum Admission: Sendable, Hashable {
    case known(UUID)
    case new(UUID)
    /// The identity is unknown, and the rule admits no new user.
    case refused
    /// The user's deletion has begun.
    case leaving
}

/// Users and the identities by which they sign in. An identity is kept as a keyed digest, so that the database does not
/// tell who a user is.
package struct UserStore: Sendable {
    let database: any SQLDatabase

    /// Finds the user of an identity, or makes one when the rule allows it.
    ///
    /// - Parameters:
    ///   - identity: a keyed digest of the provider's name for the user.
    ///   - timeZone: of the device, for the preferences of a new user.
    package func admit(
        _ identity: [UInt8], _ signup: Signup, timeZone: String, at now: Date
    ) async throws -> Admission {
        do {
            return try await admitOnce(identity, signup, timeZone, now)
        } catch let error as AssistantStoreError where error.code == .conflict {
            // Two first sign-ins at once: the other has made the user.
            return try await admitOnce(identity, signup, timeZone, now)
        }
    }

    private func admitOnce(_ identity: [UInt8], _ signup: Signup, _ timeZone: String, _ now: Date) async throws
        -> Admission
    {
        try await database.transaction(.writing) { session in
            if let row = try session.row(
                """
                SELECT users.id, users.status FROM identities JOIN users ON users.id = identities.user_id
                WHERE identities.digest = $1
                """, [.bytes(identity)])
            {
                return try row.text("status") == "ACTIVE" ? .known(row.uuid("id")) : .leaving
            }
            let id = UUID()
            guard try Self.insert(id, signup, timeZone, now, session) else { return .refused }
            _ = try session.change(
                "INSERT INTO identities (digest, user_id, created_at) VALUES ($1, $2, $3)",
                [.bytes(identity), .uuid(id), .time(now)])
            return .new(id)
        }
    }

    /// Adds a user with their preferences, in the caller's transaction.
    ///
    /// - Returns: false when the rule admits no new user.
    static func insert(
        _ id: UUID, _ signup: Signup, _ timeZone: String, _ now: Date, _ session: any SQLSession
    ) throws -> Bool {
        switch signup {
        case .open: break
        case .closed, .invite(nil): return false
        case .invite(let digest?):
            guard try InvitationStore.take(digest, now, session) else { return false }
        }
        _ = try session.change(
            "INSERT INTO users (id, created_at, status) VALUES ($1, $2, 'ACTIVE')", [.uuid(id), .time(now)])
        try PreferenceStore.insert(Preferences(timeZone: timeZone), of: id, now, session)
        return true
    }
}

/// Invitations, each for one new user. The database keeps their digests only.
package struct InvitationStore: Sendable {
    let database: any SQLDatabase

    package func add(_ digest: [UInt8], expires: Date, at now: Date) async throws {
        try await database.transaction(.writing) { session in
            _ = try session.change(
                "INSERT INTO invitations (digest, created_at, expires_at) VALUES ($1, $2, $3)",
                [.bytes(digest), .time(now), .time(expires)])
        }
    }

    static func take(_ digest: [UInt8], _ now: Date, _ session: any SQLSession) throws -> Bool {
        try session.change(
            "UPDATE invitations SET used_at = $1 WHERE digest = $2 AND used_at IS NULL AND expires_at > $1",
            [.time(now), .bytes(digest)]) == 1
    }
}
