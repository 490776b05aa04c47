import GRDB
import Messages

extension PhoneDatabase {
    static let otherAgentsTable = """
        -- Agents that asked for the same as a pending request, as the broker says. It is not signed.
        CREATE TABLE other_agents (
            request_id TEXT NOT NULL,
            agent TEXT NOT NULL,
            PRIMARY KEY (request_id, agent)
        ) STRICT, WITHOUT ROWID;
        """

    /// Keeps the names that the broker lists for a request. Names are only added, because that an agent asked stays true,
    /// and only up to the number that one list may have: a broker that lies must not fill the card.
    package func noteOtherAgents(_ agents: [AgentName], of id: RequestID) async throws {
        guard !agents.isEmpty else { return }
        let known = try await otherAgents()[id] ?? []
        guard agents.contains(where: { !known.contains($0) }), known.count < PendingList.Entry.otherAgentsAtMost else {
            return
        }
        try await database.write { database in
            for agent in agents {
                try database.execute(
                    sql: """
                        INSERT OR IGNORE INTO other_agents SELECT id, ? FROM requests
                        WHERE id = ? AND status = 'PENDING_APPROVAL'
                            AND (SELECT count(*) FROM other_agents WHERE request_id = requests.id) < ?
                        """, arguments: [agent.description, id.description, PendingList.Entry.otherAgentsAtMost])
            }
            // Of requests that were decided, no card is shown any more.
            try database.execute(
                sql: """
                    DELETE FROM other_agents
                    WHERE request_id NOT IN (SELECT id FROM requests WHERE status = 'PENDING_APPROVAL')
                    """)
        }
    }

    /// Returns the other agents of the requests that wait, by request and sorted.
    package func otherAgents() async throws -> [RequestID: [AgentName]] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT request_id, agent FROM other_agents
                    WHERE request_id IN (SELECT id FROM requests WHERE status = 'PENDING_APPROVAL') ORDER BY agent
                    """)
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
