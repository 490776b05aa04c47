import Foundation
import GRDB
import Messages

extension PhoneStore {
    /// Marks that a decision is about to be sent: of two at once, one gets true.
    func claim(_ id: RequestID, decision: Decision, at now: Date) async throws -> Bool {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE requests SET decision = ?, updated_at = ?
                    WHERE id = ? AND status = 'PENDING_APPROVAL' AND decision IS NULL AND approval_expires_at > ?
                    """,
                arguments: [decision.rawValue, StoreTime.text(now), id.description, StoreTime.text(now)])
            return database.changesCount == 1
        }
    }

    /// Takes the mark off again: the broker has not heard of the decision.
    ///
    /// - Parameter isUnanswered: an approval that it may hear of yet, as its answer was lost and not its words. That is
    ///   kept for as long as the request is undecided.
    func unclaim(_ id: RequestID, isUnanswered: Bool = false) async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE requests SET decision = NULL, is_unanswered = max(is_unanswered, ?)
                    WHERE id = ? AND status = 'PENDING_APPROVAL'
                    """,
                arguments: [isUnanswered, id.description])
        }
    }

    /// Whether an approval that was given up on may have come to the broker since.
    func isUnanswered(_ id: RequestID) async throws -> Bool {
        try await database.read { database in
            try Bool.fetchOne(
                database, sql: "SELECT is_unanswered FROM requests WHERE id = ?", arguments: [id.description]) ?? false
        }
    }

    /// The undecided requests with such an approval.
    func unansweredApprovals() async throws -> [RequestID] {
        try await database.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT id FROM requests WHERE status = 'PENDING_APPROVAL' AND decision IS NULL AND is_unanswered = 1
                    """
            ).compactMap(RequestID.init)
        }
    }

    /// Requests whose decision was being sent when the process stopped.
    func interruptedDecisions(_ decision: Decision) async throws -> [StoredRequest] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM requests WHERE status = 'PENDING_APPROVAL' AND decision = ?",
                arguments: [decision.rawValue]
            ).map(StoredRequest.init(row:))
        }
    }
}
