/// The tables of urgent mail: the place up to which a mailbox was read, whom the user writes to, and alerts.
enum MailSchema {
    static let sql = """
        CREATE TABLE mail_places (
            user_id UUID PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            connector_id UUID NOT NULL,
            history_id TEXT NOT NULL,
            updated_at TIMESTAMPTZ NOT NULL
        );
        CREATE TABLE mail_acquaintances (
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            digest BYTEA NOT NULL,
            seen_at TIMESTAMPTZ NOT NULL,
            PRIMARY KEY (user_id, digest)
        );
        CREATE INDEX mail_acquaintances_by_time ON mail_acquaintances (seen_at);
        CREATE TABLE alerts (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            message_digest BYTEA NOT NULL,
            mail_ciphertext BYTEA NOT NULL,
            rules TEXT[] NOT NULL,
            created_at TIMESTAMPTZ NOT NULL,
            notified_at TIMESTAMPTZ NULL,
            urgent BOOLEAN NULL,
            UNIQUE (user_id, message_digest)
        );
        CREATE INDEX alerts_by_time ON alerts (created_at);
        """
}
