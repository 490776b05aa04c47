/// The tables of users and of what signs them in.
enum UserSchema {
    static let sql = """
        CREATE TABLE users (
            id UUID PRIMARY KEY NOT NULL,
            created_at TIMESTAMPTZ NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'DELETING'))
        );
        CREATE TABLE identities (
            digest BYTEA PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            created_at TIMESTAMPTZ NOT NULL
        );
        CREATE INDEX identities_by_user ON identities (user_id);
        CREATE TABLE passkeys (
            credential_id BYTEA PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            public_key BYTEA NOT NULL,
            sign_count BIGINT NOT NULL,
            backup_eligible BOOLEAN NOT NULL,
            created_at TIMESTAMPTZ NOT NULL
        );
        CREATE INDEX passkeys_by_user ON passkeys (user_id);
        CREATE TABLE passkey_challenges (
            id UUID PRIMARY KEY NOT NULL,
            ceremony TEXT NOT NULL CHECK (ceremony IN ('register', 'login')),
            challenge BYTEA NOT NULL,
            user_handle UUID NOT NULL,
            device_id TEXT NOT NULL,
            time_zone TEXT NOT NULL,
            invitation BYTEA,
            expires_at TIMESTAMPTZ NOT NULL
        );
        CREATE TABLE invitations (
            digest BYTEA PRIMARY KEY NOT NULL,
            created_at TIMESTAMPTZ NOT NULL,
            expires_at TIMESTAMPTZ NOT NULL,
            used_at TIMESTAMPTZ
        );
        CREATE TABLE sessions (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            device_id TEXT NOT NULL,
            created_at TIMESTAMPTZ NOT NULL,
            expires_at TIMESTAMPTZ NOT NULL,
            ended_at TIMESTAMPTZ
        );
        CREATE INDEX sessions_by_user ON sessions (user_id);
        CREATE TABLE refresh_tokens (
            digest BYTEA PRIMARY KEY NOT NULL,
            session_id UUID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            issued_at TIMESTAMPTZ NOT NULL,
            used_at TIMESTAMPTZ
        );
        CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
        """
}
