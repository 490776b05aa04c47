import Foundation

/// A job to be performed at a time.
package struct PlannedJob: Sendable, Hashable {
    package let type: String
    /// An id or a keyed digest of what the job is about. A user has one job for each type and subject. A periodic job's is
    /// empty.
    package let subject: [UInt8]
    package let due: Date
    package let sealedPayload: [UInt8]?

    package init(_ type: String, about subject: [UInt8] = [], due: Date, sealedPayload: [UInt8]? = nil) {
        self.type = type
        self.subject = subject
        self.due = due
        self.sealedPayload = sealedPayload
    }
}

/// A job that a worker holds until its lease ends.
package struct LeasedJob: Sendable, Hashable {
    package let id: UUID
    package let userID: UUID
    package let type: String
    package let subject: [UInt8]
    /// The time for which it was planned. It stays the same when the job is tried again.
    package let dueAt: Date
    package let sealedPayload: [UInt8]?
    /// The runs since the job was last done, this one included.
    package let attempts: Int
    /// The runs without any result, one after another, this one included: its worker died, or the handler threw.
    package let strikes: Int
    /// Shows that the worker still holds the job.
    package let lease: UUID

    package init(
        id: UUID = UUID(), userID: UUID, type: String, subject: [UInt8] = [], dueAt: Date,
        sealedPayload: [UInt8]? = nil, attempts: Int = 1, strikes: Int = 1, lease: UUID = UUID()
    ) {
        self.id = id
        self.userID = userID
        self.type = type
        self.subject = subject
        self.dueAt = dueAt
        self.sealedPayload = sealedPayload
        self.attempts = attempts
        self.strikes = strikes
        self.lease = lease
    }

    init(_ row: SQLRow, lease: UUID) throws {
        self.init(
            id: try row.uuid("id"), userID: try row.uuid("user_id"), type: try row.text("type"),
            subject: try row.bytes("subject"), dueAt: try row.time("due_at"),
            sealedPayload: try row.optional("payload_ciphertext") { row, name throws(AssistantStoreError) in
                try row.bytes(name)
            }, attempts: try row.integer("attempts"), strikes: try row.integer("strikes"), lease: lease)
    }
}

/// The outcome of one run of a job, as the store keeps it.
package enum JobOutcome: Sendable, Hashable {
    case done
    /// It is done for this time, and due again at another one.
    case due(Date)
    /// It could not be done. It runs again at this time, and stays due for the old one.
    ///
    /// - Parameter isStrike: true when the run had no result at all.
    case again(Date, isStrike: Bool)
    /// It is never run again, and the user's audit log tells why.
    case setAside(NewAuditEvent)
}
