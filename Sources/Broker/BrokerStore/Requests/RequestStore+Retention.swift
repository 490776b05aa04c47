import Clocks
import Foundation
import GRDB
import Machine
import Messages
import Storage

extension RequestStore {
    /// The requests that one transaction removes, so that no other change waits long.
    private static let removedAtOnce = 500

    /// The tables with rows about a request, in the order in which they can be emptied.
    private static let tablesAboutRequests = [
        "device_envelopes", "request_approvals", "request_executors", "device_manifests", "completion_manifests",
        "request_deadlines", "request_keys", "changes_beside", "request_documents", "closing_manifests",
        "documents_to_file", "request_other_agents", "paperless_documents", "webhook_events", "channel_messages",
    ]

    /// Removes what was deleted from the database's files too.
    ///
    /// - Throws: `DatabaseError` while another process reads the database.
    package func eraseDeleted() async throws {
        try await BlockingWork.run { [pool = database.pool] in try pool.eraseDeleted() }
    }

    /// Removes the requests that ended before this time, with their evidence. The statements themselves stay: they are the
    /// owner's documents.
    ///
    /// - Returns: the number of requests.
    @discardableResult
    package func removeEnded(before end: Date) async throws -> Int {
        var count = 0
        while true {
            let removed = try await database.write { db in
                let ids = try String.fetchAll(
                    db,
                    sql: """
                        SELECT id FROM pending_requests
                        WHERE status IN ('COMPLETED', 'FAILED', 'DENIED', 'EXPIRED') AND updated_at < ?
                        LIMIT ?
                        """, arguments: [Timestamp(end).description, Self.removedAtOnce])
                try OfferStore.forgetRequests(ids, in: db)
                let marks = ids.map { _ in "?" }.joined(separator: ", ")
                for table in Self.tablesAboutRequests {
                    try db.execute(
                        sql: "DELETE FROM \(table) WHERE request_id IN (\(marks))", arguments: StatementArguments(ids))
                }
                try db.execute(
                    sql: "DELETE FROM pending_requests WHERE id IN (\(marks))", arguments: StatementArguments(ids))
                return ids.count
            }
            count += removed
            if removed < Self.removedAtOnce { return count }
        }
    }
}
