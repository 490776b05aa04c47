/// The tables of connections to a provider, and of consents that are being asked for.
enum ConnectorSchema {
    static let sql = """
        CREATE TABLE connectors (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            provider TEXT NOT NULL,
            scopes TEXT[] NOT NULL,
            refresh_token_ciphertext BYTEA NOT NULL,
            token_key_id TEXT NOT NULL,
            token_version INT NOT NULL DEFAULT 1,
            token_rotated_at TIMESTAMPTZ NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'NEEDS_RECONNECT', 'REVOKED')),
            created_at TIMESTAMPTZ NOT NULL,
            revoked_at TIMESTAMPTZ NULL
        );
        CREATE UNIQUE INDEX connectors_one_in_use ON connectors (user_id, provider) WHERE status <> 'REVOKED';
        CREATE INDEX connectors_by_key ON connectors (token_key_id, token_version);
        CREATE TABLE consents (
            state_digest BYTEA PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            session_id UUID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            redirect_uri TEXT NOT NULL,
            verifier_ciphertext BYTEA NOT NULL,
            expires_at TIMESTAMPTZ NOT NULL
        );
        CREATE INDEX consents_by_user ON consents (user_id);
        """
}
