/// The tables of jobs and of requests to delete everything.
enum JobSchema {
    static let sql = """
        CREATE TABLE jobs (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            type TEXT NOT NULL,
            due_at TIMESTAMPTZ NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'DONE', 'FAILED')),
            payload_ciphertext BYTEA NULL,
            last_run_at TIMESTAMPTZ NULL,
            next_run_at TIMESTAMPTZ NULL,
            leased_until TIMESTAMPTZ NULL,
            lease UUID NULL
        );
        CREATE INDEX jobs_by_due ON jobs (state, due_at);
        CREATE INDEX jobs_by_user ON jobs (user_id);
        CREATE TABLE privacy_requests (
            id TEXT PRIMARY KEY NOT NULL,
            user_id UUID NULL,
            status TEXT NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
            created_at TIMESTAMPTZ NOT NULL,
            finished_at TIMESTAMPTZ NULL
        );
        CREATE UNIQUE INDEX privacy_requests_one_for_user ON privacy_requests (user_id);
        """
}

/// The further tables of workers: attempts and subjects of jobs, the workers that run, and the state of calendars.
///
/// The table of jobs is made anew because SQLite cannot change a column's `CHECK`. No earlier version ran a job, so an
/// old row's subject is its id.
enum WorkSchema {
    static let sql = """
        CREATE TABLE jobs_with_attempts (
            id UUID PRIMARY KEY NOT NULL,
            user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            type TEXT NOT NULL,
            subject BYTEA NOT NULL,
            due_at TIMESTAMPTZ NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED')),
            payload_ciphertext BYTEA NULL,
            last_run_at TIMESTAMPTZ NULL,
            next_run_at TIMESTAMPTZ NULL,
            attempts INT NOT NULL,
            strikes INT NOT NULL,
            leased_until TIMESTAMPTZ NULL,
            lease UUID NULL,
            UNIQUE (user_id, type, subject)
        );
        INSERT INTO jobs_with_attempts (id, user_id, type, subject, due_at, state, payload_ciphertext, last_run_at,
                next_run_at, attempts, strikes, leased_until, lease)
            SELECT id, user_id, type, old_subject, due_at, state, payload_ciphertext, last_run_at,
                CASE WHEN state IN ('PENDING', 'RUNNING') THEN coalesce(leased_until, next_run_at, due_at) END, 0, 0,
                leased_until, lease
            FROM (SELECT jobs.*, CAST(CAST(id AS TEXT) AS BYTEA) AS old_subject FROM jobs) AS old;
        DROP TABLE jobs;
        ALTER TABLE jobs_with_attempts RENAME TO jobs;
        CREATE INDEX jobs_by_time ON jobs (type, next_run_at);
        CREATE INDEX jobs_by_end ON jobs (state, due_at);
        CREATE TABLE workers (
            id UUID PRIMARY KEY NOT NULL,
            started_at TIMESTAMPTZ NOT NULL,
            seen_at TIMESTAMPTZ NOT NULL
        );
        CREATE TABLE calendar_states (
            user_id UUID PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            state_ciphertext BYTEA NOT NULL,
            updated_at TIMESTAMPTZ NOT NULL
        );
        ALTER TABLE connectors ADD COLUMN reconnect_told_at TIMESTAMPTZ NULL;
        CREATE INDEX connectors_by_rotation ON connectors (token_rotated_at);
        """
}
