import Foundation
import GRDB
import Messages

extension PhoneDatabase {
    /// Marks that a decision is about to be sent. If two claims arrive at once, only one returns true.
    ///
    /// The first claim gives this phone's decision its name, which every later try keeps.
    package func claim(_ id: RequestID, decision: Decision, at now: Date) async throws -> Bool {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE requests SET decision = ?, updated_at = ?, decision_id = coalesce(decision_id, ?)
                    WHERE id = ? AND status = 'PENDING_APPROVAL' AND decision IS NULL AND approval_expires_at > ?
                    """,
                arguments: [
                    decision.rawValue, StoreTime.text(now), Nonce().description, id.description, StoreTime.text(now),
                ])
            return database.changesCount == 1
        }
    }

    /// Returns the name of this phone's decision about a request; nil before its first try.
    package func decisionID(of id: RequestID) async throws -> Nonce? {
        try await database.read { database in
            try String.fetchOne(
                database, sql: "SELECT decision_id FROM requests WHERE id = ?", arguments: [id.description]
            ).flatMap(Nonce.init)
        }
    }

    /// Removes the mark: the broker has not heard the decision.
    ///
    /// - Parameter isUnanswered: true for an approval that may still reach the broker, because only its answer got
    ///   lost. The store keeps this flag while the request is undecided.
    package func releaseClaim(_ id: RequestID, isUnanswered: Bool = false) async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE requests SET decision = NULL, is_unanswered = max(is_unanswered, ?)
                    WHERE id = ? AND status = 'PENDING_APPROVAL'
                    """,
                arguments: [isUnanswered, id.description])
        }
    }

    /// Returns whether an approval that this phone gave up on may have reached the broker since.
    package func isUnanswered(_ id: RequestID) async throws -> Bool {
        try await database.read { database in
            try Bool.fetchOne(
                database, sql: "SELECT is_unanswered FROM requests WHERE id = ?", arguments: [id.description]) ?? false
        }
    }

    /// Returns the undecided requests with such an approval.
    package func unansweredApprovals() async throws -> [RequestID] {
        try await database.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT id FROM requests WHERE status = 'PENDING_APPROVAL' AND decision IS NULL AND is_unanswered = 1
                    """
            ).compactMap(RequestID.init)
        }
    }

    /// Returns the requests whose decision was being sent when the process stopped.
    package func interruptedDecisions(_ decision: Decision) async throws -> [StoredRequest] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM requests WHERE status = 'PENDING_APPROVAL' AND decision = ?",
                arguments: [decision.rawValue]
            ).map(StoredRequest.init(row:))
        }
    }
}
