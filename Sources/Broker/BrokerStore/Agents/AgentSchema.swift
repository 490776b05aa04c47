/// The tables of agents, and who asked for a request.
enum AgentSchema {
    static let tables = """
        CREATE TABLE agents (
            name TEXT PRIMARY KEY NOT NULL,
            token_sha256 TEXT NOT NULL UNIQUE,
            created_at TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE pending_requests ADD COLUMN agent TEXT NOT NULL DEFAULT 'default';

        -- The keys by which agents name their requests (agent_request_id). A key is unique per agent. One request can have
        -- several keys: a second request for a month that already waits gets the waiting request as its answer.
        CREATE TABLE request_keys (
            agent TEXT NOT NULL,
            key TEXT NOT NULL,
            request_id TEXT NOT NULL REFERENCES pending_requests (id),
            PRIMARY KEY (agent, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX request_keys_by_request ON request_keys (request_id);
        INSERT INTO request_keys (agent, key, request_id)
            SELECT 'default', agent_request_id, id FROM pending_requests WHERE agent_request_id IS NOT NULL;
        """
}
