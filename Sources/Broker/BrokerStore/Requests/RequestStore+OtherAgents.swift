import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Storage

extension RequestStore {
    static let otherAgentsTable = """
        -- Other agents that asked for a request while it waited.
        CREATE TABLE request_other_agents (
            request_id TEXT NOT NULL REFERENCES pending_requests (id),
            agent TEXT NOT NULL,
            PRIMARY KEY (request_id, agent)
        ) STRICT, WITHOUT ROWID;
        """

    /// Notes an agent that asks for what waits already; the audit log has it once.
    static func note(_ agent: AgentName, asksFor id: RequestID, at time: Date, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO request_other_agents VALUES (?, ?)",
            arguments: [id.description, agent.description])
        guard db.changesCount == 1 else { return }
        try AuditLog.record(
            AuditEvent(
                .requestFolded, requestID: id.description, details: ["agent": .string(agent.description)], time: time),
            in: db)
    }

    /// Returns whether an agent asked for this request: it made it, or asked for the same while it waited.
    package func isAsked(_ record: RequestRecord, by agent: AgentName) async throws -> Bool {
        if record.agent == agent { return true }
        return try await otherAgents(of: [record.id])[record.id]?.contains(agent) == true
    }

    /// Ends a request that its agent takes back, as long as it waits and no other agent asked for the same.
    ///
    /// - Returns: whether it has ended by this.
    package func withdraw(_ id: RequestID, by agent: AgentName, at now: Date) async throws -> Bool {
        try await database.write { db in
            guard try Self.request(id, in: db)?.agent == agent else { return false }
            let others =
                try Int.fetchOne(
                    db, sql: "SELECT count(*) FROM request_other_agents WHERE request_id = ?",
                    arguments: [id.description]) ?? 0
            guard others == 0 else { return false }
            return try Self.move(
                id, from: .pendingApproval, to: .expired, at: Timestamp(now),
                error: (.withdrawnByAgent, "the agent took the request back"), in: db)
        }
    }

    /// Returns the agents that asked for the same as these requests, besides the agent of each, by request and sorted.
    package func otherAgents(of ids: [RequestID]) async throws -> [RequestID: [AgentName]] {
        guard !ids.isEmpty else { return [:] }
        return try await database.read { db in
            let marks = ids.map { _ in "?" }.joined(separator: ", ")
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT request_id, agent FROM request_other_agents WHERE request_id IN (\(marks))
                    ORDER BY request_id, agent
                    """, arguments: StatementArguments(ids.map(\.description)))
            return rows.reduce(into: [:]) { result, row in
                guard let id = RequestID(row["request_id"] as String), let agent = AgentName(row["agent"] as String)
                else {
                    return
                }
                result[id, default: []].append(agent)
            }
        }
    }
}
