/// The tables of identity, devices and pairing. Columns whose names contain `sealed` are encrypted; see ``Sealing``.
enum DeviceSchema {
    static let tables = """
        CREATE TABLE broker_identity (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            server_id TEXT NOT NULL,
            public_key TEXT NOT NULL,
            agreement_sealed BLOB NOT NULL,
            certificate BLOB NOT NULL,
            certificate_key_sealed BLOB NOT NULL,
            created_at TEXT NOT NULL
        ) STRICT;
        CREATE TABLE broker_listening (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            port INTEGER NOT NULL,
            tls_sha256 TEXT
        ) STRICT;

        CREATE TABLE devices (
            id TEXT PRIMARY KEY NOT NULL,
            name TEXT NOT NULL,
            public_key TEXT NOT NULL,
            token_sha256 TEXT UNIQUE,
            secret_sealed BLOB,
            pending_token_sha256 TEXT UNIQUE,
            pending_secret_sealed BLOB,
            rotation_requested INTEGER NOT NULL DEFAULT 0,
            generation INTEGER NOT NULL DEFAULT 1,
            created_at TEXT NOT NULL,
            removed_at TEXT,
            CHECK ((removed_at IS NULL) = (token_sha256 IS NOT NULL)),
            CHECK ((removed_at IS NULL) = (secret_sealed IS NOT NULL))
        ) STRICT;
        -- By the device's id, or "default".
        CREATE TABLE device_sightings (
            device_id TEXT PRIMARY KEY NOT NULL,
            last_seen_at TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        -- One request is shown to each device under the device's own secret and with a nonce of its own. The signature
        -- is made when it is shown, with the secret of that moment.
        CREATE TABLE device_envelopes (
            device_id TEXT NOT NULL REFERENCES devices (id),
            request_id TEXT NOT NULL REFERENCES pending_requests (id),
            nonce TEXT NOT NULL,
            PRIMARY KEY (device_id, request_id),
            UNIQUE (device_id, nonce)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_envelopes_by_request ON device_envelopes (request_id);

        -- Signed approvals, kept as evidence; one that a removal made void has voided_at.
        CREATE TABLE request_approvals (
            request_id TEXT NOT NULL REFERENCES pending_requests (id),
            device_id TEXT NOT NULL REFERENCES devices (id),
            approved_at TEXT NOT NULL,
            summary_json TEXT NOT NULL,
            signature TEXT NOT NULL,
            voided_at TEXT,
            PRIMARY KEY (request_id, device_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX request_approvals_by_device ON request_approvals (device_id);
        -- The paired device that runs an approved request, and the secret that it had when it approved. The default
        -- device's requests have no row.
        CREATE TABLE request_executors (
            request_id TEXT PRIMARY KEY NOT NULL REFERENCES pending_requests (id),
            device_id TEXT NOT NULL REFERENCES devices (id),
            secret_sealed BLOB
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX request_executors_by_device ON request_executors (device_id);
        -- Completions by paired devices, whose nonces are unique per device. The default device's are in
        -- completion_manifests and in pending_requests.completion_nonce, as the specification has them.
        CREATE TABLE device_manifests (
            request_id TEXT PRIMARY KEY NOT NULL REFERENCES pending_requests (id),
            device_id TEXT NOT NULL REFERENCES devices (id),
            filename TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            completed_at TEXT NOT NULL,
            nonce TEXT NOT NULL,
            signature TEXT NOT NULL,
            manifest_json TEXT NOT NULL,
            verified_at TEXT NOT NULL,
            UNIQUE (device_id, nonce)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE pairing_sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL CHECK (session BETWEEN 1 AND 9999),
            state TEXT NOT NULL CHECK (state IN ('OPEN', 'CLAIMED', 'CONFIRMED', 'DONE', 'DEAD')),
            reason TEXT,
            code_sealed BLOB,
            name TEXT,
            wrong_tries INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL,
            expires_at TEXT NOT NULL,
            boot TEXT NOT NULL,
            due_milliseconds INTEGER NOT NULL,
            attempt TEXT,
            device_id TEXT,
            device_name TEXT,
            words TEXT
        ) STRICT;
        CREATE UNIQUE INDEX pairing_sessions_open ON pairing_sessions (session)
            WHERE state IN ('OPEN', 'CLAIMED', 'CONFIRMED');

        -- Requests that were changed beside the broker, for it to tell those who wait.
        CREATE TABLE changes_beside (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            request_id TEXT NOT NULL REFERENCES pending_requests (id)
        ) STRICT;
        """
}
