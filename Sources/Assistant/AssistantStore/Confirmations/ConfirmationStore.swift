import Foundation

/// The table of confirmations.
enum ConfirmationSchema {
    static let sql = """
        CREATE TABLE confirmations (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            subject_digest BYTEA NOT NULL,
            subject_ciphertext BYTEA NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('PENDING', 'APPROVED', 'DENIED', 'ASKED', 'DONE', 'FAILED')),
            request_ciphertext BYTEA NULL,
            created_at TIMESTAMPTZ NOT NULL,
            expires_at TIMESTAMPTZ NOT NULL,
            changed_at TIMESTAMPTZ NOT NULL,
            UNIQUE (user_id, subject_digest)
        );
        CREATE INDEX confirmations_by_time ON confirmations (created_at);
        """
}

/// An act outside the assistant, and whether the user has confirmed it. What it is about is sealed.
package struct StoredConfirmation: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        /// It waits for the user.
        case pending = "PENDING"
        /// The user has confirmed it, or wants no questions. It is about to be done.
        case approved = "APPROVED"
        case denied = "DENIED"
        /// The broker was asked, and its answer is awaited.
        case asked = "ASKED"
        case done = "DONE"
        case failed = "FAILED"
    }

    package let id: UUID
    /// The kind of act, such as `STATEMENT`.
    package let kind: String
    package let sealedSubject: [UInt8]
    package let state: State
    /// The request at the broker, sealed.
    package let sealedRequest: [UInt8]?
    package let createdAt: Date
    /// The moment until which a pending one can be decided.
    package let expiresAt: Date
    package let changedAt: Date
}

/// The outcome of a decision.
package enum ConfirmationDecision: Sendable, Hashable {
    case stored
    /// The user has decided so before.
    case repeated
    /// The user has decided otherwise before.
    case decidedOtherwise
    /// No confirmation with this id waits.
    case noConfirmation
}

/// Acts that wait for the user, and those that the user has decided.
package struct ConfirmationStore: Sendable {
    let database: any SQLDatabase

    /// Adds an act. The same act is added once, also after it was decided.
    ///
    /// - Parameters:
    ///   - subject: a keyed digest of what it is about.
    ///   - isApproved: the user wants no questions of this kind; its job is added at once.
    /// - Returns: false when it was known.
    package func add(
        _ id: UUID, of userID: UUID, kind: String, subject: [UInt8], sealedSubject: [UInt8], isApproved: Bool,
        job: String, expires: Date, recording event: NewAuditEvent, at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            guard try JobStore.isActive(userID, session) else { return false }
            let added = try session.change(
                """
                INSERT INTO confirmations (id, user_id, kind, subject_digest, subject_ciphertext, state, created_at,
                    expires_at, changed_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $7) ON CONFLICT (user_id, subject_digest) DO NOTHING
                """,
                [
                    .uuid(id), .uuid(userID), .text(kind), .bytes(subject), .bytes(sealedSubject),
                    .text((isApproved ? StoredConfirmation.State.approved : .pending).rawValue), .time(now),
                    .time(expires),
                ])
            guard added == 1 else { return false }
            try AuditEventStore.record(event, of: userID, now, session)
            if isApproved { try Self.addJob(id, of: userID, job, now, session) }
            return true
        }
    }

    /// Decides a pending act. With an approval, the job that performs it is added in the same transaction, so that a crash
    /// loses neither. The job's subject is the confirmation's id.
    package func decide(
        _ id: UUID, of userID: UUID, approve: Bool, job: String, recording event: NewAuditEvent, at now: Date
    ) async throws -> ConfirmationDecision {
        try await database.transaction(.writing) { session in
            guard try JobStore.isActive(userID, session) else { return .noConfirmation }
            let changed = try session.change(
                """
                UPDATE confirmations SET state = $1, changed_at = $2
                WHERE id = $3 AND user_id = $4 AND state = 'PENDING' AND expires_at > $2
                """, [.text(approve ? "APPROVED" : "DENIED"), .time(now), .uuid(id), .uuid(userID)])
            if changed == 1 {
                try AuditEventStore.record(event, of: userID, now, session)
                if approve { try Self.addJob(id, of: userID, job, now, session) }
                return .stored
            }
            guard
                let row = try session.row(
                    "SELECT state FROM confirmations WHERE id = $1 AND user_id = $2", [.uuid(id), .uuid(userID)])
            else { return .noConfirmation }
            switch try row.text("state") {
            case "PENDING": return .noConfirmation
            case "DENIED": return approve ? .decidedOtherwise : .repeated
            default: return approve ? .repeated : .decidedOtherwise
            }
        }
    }

    /// Tells whether acts of the user may be performed: the user is there, and stays.
    package func mayProceed(of userID: UUID) async throws -> Bool {
        try await database.transaction(.reading) { session in
            try session.row("SELECT id FROM users WHERE id = $1 AND status = 'ACTIVE'", [.uuid(userID)]) != nil
        }
    }

    /// Returns the acts that wait for the user, the newest first.
    package func pending(of userID: UUID, at now: Date) async throws -> [StoredConfirmation] {
        try await confirmations("state = 'PENDING' AND expires_at > $2", of: userID, [.time(now)])
    }

    /// Returns the acts since a time, the newest first.
    package func confirmations(
        of userID: UUID, since start: Date, atMost limit: Int = 200
    ) async throws -> [StoredConfirmation] {
        try await confirmations("changed_at >= $2", of: userID, [.time(start)], atMost: limit)
    }

    package func confirmation(_ id: UUID, of userID: UUID) async throws -> StoredConfirmation? {
        try await confirmations("id = $2", of: userID, [.uuid(id)]).first
    }

    /// Moves an act on.
    ///
    /// - Returns: false when it is in another state than `state`.
    package func move(
        _ id: UUID, of userID: UUID, from state: StoredConfirmation.State, to next: StoredConfirmation.State,
        sealedRequest: [UInt8]? = nil, recording event: NewAuditEvent? = nil, at now: Date
    ) async throws -> Bool {
        try await database.transaction(.writing) { session in
            let changed = try session.change(
                """
                UPDATE confirmations SET state = $1, changed_at = $2,
                    request_ciphertext = coalesce($3, request_ciphertext)
                WHERE id = $4 AND user_id = $5 AND state = $6
                """,
                [
                    .text(next.rawValue), .time(now), .optional(sealedRequest), .uuid(id), .uuid(userID),
                    .text(state.rawValue),
                ])
            if changed == 1, let event { try AuditEventStore.record(event, of: userID, now, session) }
            return changed == 1
        }
    }

    package func remove(before end: Date) async throws -> Int {
        try await database.transaction(.writing) { session in
            try session.change("DELETE FROM confirmations WHERE changed_at < $1", [.time(end)])
        }
    }

    private static func addJob(
        _ id: UUID, of userID: UUID, _ type: String, _ now: Date, _ session: any SQLSession
    ) throws {
        _ = try JobStore.plan(
            PlannedJob(type, about: Array(id.uuidString.utf8), due: now), of: userID, session)
    }

    private func confirmations(
        _ condition: String, of userID: UUID, _ arguments: [SQLValue], atMost limit: Int = 200
    ) async throws -> [StoredConfirmation] {
        try await database.transaction(.reading) { session in
            try session.rows(
                "SELECT * FROM confirmations WHERE user_id = $1 AND \(condition) ORDER BY created_at DESC, id LIMIT \(limit)",
                [.uuid(userID)] + arguments
            ).map { row in
                guard let state = StoredConfirmation.State(rawValue: try row.text("state")) else {
                    throw AssistantStoreError(.damaged, "a confirmation has an unknown state")
                }
                return StoredConfirmation(
                    id: try row.uuid("id"), kind: try row.text("kind"),
                    sealedSubject: try row.bytes("subject_ciphertext"), state: state,
                    sealedRequest: try row.optional("request_ciphertext") { row, name throws(AssistantStoreError) in
                        try row.bytes(name)
                    }, createdAt: try row.time("created_at"), expiresAt: try row.time("expires_at"),
                    changedAt: try row.time("changed_at"))
            }
        }
    }
}
