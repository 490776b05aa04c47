import GRDB
import Storage

/// The tables of the specification, section 9.1, and those that it leaves open, such as admitted nonces, refusals, holds,
/// and warnings of runs.
enum PhoneSchema {
    static func migrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        AuditLog.registerMigrations(&migrator)
        migrator.registerMigration("phone 1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE credentials (
                        id TEXT PRIMARY KEY,
                        bank_id TEXT NOT NULL UNIQUE DEFAULT 'default',
                        username_keychain_ref TEXT NOT NULL,
                        password_keychain_ref TEXT NOT NULL,
                        created_at TEXT NOT NULL,
                        updated_at TEXT NOT NULL,
                        last_used_at TEXT
                    );

                    CREATE TABLE requests (
                        id TEXT PRIMARY KEY,
                        nonce TEXT NOT NULL UNIQUE,
                        signature TEXT NOT NULL,
                        signature_valid INTEGER NOT NULL CHECK (signature_valid = 1),
                        envelope_json TEXT NOT NULL,
                        bank_id TEXT NOT NULL,
                        request_type TEXT NOT NULL CHECK (request_type = 'statement'),
                        parameters_json TEXT NOT NULL,
                        status TEXT NOT NULL CHECK (status IN (
                            'PENDING_APPROVAL', 'APPROVED', 'EXECUTING', 'COMPLETED', 'FAILED', 'DENIED', 'EXPIRED')),
                        created_at TEXT NOT NULL,
                        updated_at TEXT NOT NULL,
                        approved_at TEXT,
                        completed_at TEXT,
                        error_code TEXT,
                        error_message TEXT,
                        result_filename TEXT,
                        issued_at TEXT NOT NULL,
                        approval_expires_at TEXT NOT NULL,
                        script_digest TEXT,
                        decision TEXT CHECK (decision IN ('APPROVE', 'DENY')),
                        owes_report INTEGER NOT NULL DEFAULT 0
                    );
                    CREATE INDEX requests_by_status ON requests (status);

                    CREATE TABLE admitted (
                        nonce TEXT PRIMARY KEY,
                        request_id TEXT NOT NULL UNIQUE,
                        keep_until TEXT NOT NULL
                    );

                    CREATE TABLE refusals (
                        fingerprint TEXT PRIMARY KEY,
                        request_id TEXT,
                        reason TEXT NOT NULL,
                        message TEXT NOT NULL,
                        created_at TEXT NOT NULL
                    );
                    """)
        }
        migrator.registerMigration("phone 2") { database in
            try database.execute(
                sql: """
                    CREATE TABLE passkeys (
                        credential_id TEXT PRIMARY KEY,
                        sign_count INTEGER NOT NULL,
                        is_backup_eligible INTEGER NOT NULL,
                        created_at TEXT NOT NULL,
                        last_used_at TEXT
                    );
                    """)
        }
        migrator.registerMigration("phone 3") { database in
            try database.execute(
                sql: """
                    CREATE TABLE second_factor_links (
                        bank_id TEXT PRIMARY KEY,
                        token_id TEXT NOT NULL,
                        issuer TEXT NOT NULL,
                        created_at TEXT NOT NULL
                    );
                    """)
        }
        migrator.registerMigration("phone 4") { database in
            try database.execute(sql: "CREATE TABLE slot_names (slot_id TEXT PRIMARY KEY, name TEXT NOT NULL);")
        }
        migrator.registerMigration("phone 5") { database in
            try database.execute(
                sql: """
                    ALTER TABLE requests ADD COLUMN requirement_json TEXT;
                    ALTER TABLE requests ADD COLUMN approved_here INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        migrator.registerMigration("phone 6") { database in
            try database.execute(
                sql: "ALTER TABLE requests ADD COLUMN is_unanswered INTEGER NOT NULL DEFAULT 0;")
        }
        migrator.registerMigration("holds and names of decisions") { database in
            try database.execute(
                sql: """
                    ALTER TABLE credentials ADD COLUMN version TEXT NOT NULL DEFAULT '';
                    ALTER TABLE requests ADD COLUMN decision_id TEXT;

                    CREATE TABLE refused_sign_ins (
                        bank_id TEXT PRIMARY KEY,
                        credentials_version TEXT NOT NULL,
                        wrong_codes INTEGER NOT NULL DEFAULT 0,
                        hold_id TEXT,
                        reason TEXT,
                        held_at TEXT
                    );
                    """)
        }
        migrator.registerMigration("statements and codes of the page") { database in
            try database.execute(
                sql: """
                    CREATE TABLE statements (request_id TEXT PRIMARY KEY, sha256 TEXT NOT NULL);

                    CREATE TABLE terminal_codes (
                        hash TEXT PRIMARY KEY,
                        purpose TEXT NOT NULL,
                        expires_at TEXT NOT NULL
                    );

                    CREATE TABLE open_page (id INTEGER PRIMARY KEY CHECK (id = 1), origin TEXT NOT NULL);
                    """)
        }
        migrator.registerMigration("vault generations") { database in
            try database.execute(
                sql: "CREATE TABLE vault_generations (vault_id TEXT PRIMARY KEY, generation INTEGER NOT NULL);")
        }
        migrator.registerMigration("sign-ins under way") { database in
            try database.execute(
                sql: """
                    CREATE TABLE sign_ins_under_way (
                        bank_id TEXT PRIMARY KEY,
                        credentials_version TEXT NOT NULL,
                        request_id TEXT NOT NULL,
                        began_at TEXT NOT NULL
                    );
                    """)
        }
        migrator.registerMigration("warnings of runs") { database in
            try database.execute(
                sql: """
                    CREATE TABLE run_warnings (
                        request_id TEXT NOT NULL,
                        step INTEGER NOT NULL,
                        message TEXT NOT NULL,
                        PRIMARY KEY (request_id, step, message)
                    );
                    """)
        }
        migrator.registerMigration("several documents") { database in
            try database.execute(sql: documents)
        }
        migrator.registerMigration("other agents") { database in
            try database.execute(sql: PhoneDatabase.otherAgentsTable)
        }
        migrator.registerMigration("owed reports") { database in
            try database.execute(
                sql: "CREATE INDEX requests_that_owe_a_report ON requests (updated_at) WHERE owes_report = 1")
        }
        migrator.registerMigration("accounts") { database in
            try database.execute(sql: PhoneDatabase.accountsTable)
        }
        migrator.registerMigration("times of deliveries") { database in
            try database.execute(
                sql: "ALTER TABLE delivered_documents ADD COLUMN delivered_at TEXT NOT NULL DEFAULT ''")
        }
        migrator.registerMigration("received documents") { database in
            try database.execute(sql: PhoneDatabase.receivedDocuments)
        }
        migrator.registerMigration("subscriptions to notifications") { database in
            try database.execute(sql: PhoneDatabase.pushSubscriptions)
        }
        migrator.registerMigration("seen offers") { database in
            try database.execute(sql: PhoneDatabase.seenOffers)
        }
        migrator.registerMigration("days of documents") { database in
            try database.execute(sql: "ALTER TABLE received_documents ADD COLUMN first_day INTEGER")
            try database.execute(sql: "ALTER TABLE received_documents ADD COLUMN last_day INTEGER")
        }
        migrator.registerMigration("known browsers") { database in
            try database.execute(sql: PhoneDatabase.knownBrowsers)
        }
        migrator.registerMigration("reasons of failures") { database in
            try database.execute(sql: "ALTER TABLE requests ADD COLUMN failure_reason TEXT")
        }
        migrator.registerMigration("own asks") { database in
            try database.execute(sql: PhoneDatabase.ownAsks)
        }
        migrator.registerMigration("parts of documents") { database in
            try database.execute(sql: "ALTER TABLE received_documents ADD COLUMN part INTEGER NOT NULL DEFAULT 1")
        }
        migrator.registerMigration("consents and counted requests") { database in
            try database.execute(sql: PhoneDatabase.consents)
        }
        migrator.registerMigration("banks that know this phone") { database in
            try database.execute(sql: PhoneDatabase.banksThatKnowThisPhone)
        }
        migrator.registerMigration("skeletons of pages") { database in
            try database.execute(sql: PhoneDatabase.skeletonsTable)
        }
        migrator.registerMigration("outcomes of scripts") { database in
            try database.execute(sql: PhoneDatabase.outcomesTable)
        }
        migrator.registerMigration("notices of consents") { database in
            try database.execute(sql: "ALTER TABLE consents ADD COLUMN needs_owner INTEGER NOT NULL DEFAULT 1")
            try database.execute(sql: "ALTER TABLE consents ADD COLUMN told TEXT")
        }
        migrator.registerMigration("other phones") { database in
            try database.execute(sql: PhoneDatabase.otherPhonesTable)
        }
        migrator.registerMigration("programs of credentials") { database in
            try database.execute(sql: PhoneDatabase.credentialPrograms)
        }
        return migrator
    }

    /// SQLite cannot change the condition of a column, so the table is made anew.
    private static let documents = """
        CREATE TABLE new_requests (
            id TEXT PRIMARY KEY,
            nonce TEXT NOT NULL UNIQUE,
            signature TEXT NOT NULL,
            signature_valid INTEGER NOT NULL CHECK (signature_valid = 1),
            envelope_json TEXT NOT NULL,
            bank_id TEXT NOT NULL,
            request_type TEXT NOT NULL CHECK (request_type IN ('statement', 'documents')),
            parameters_json TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN (
                'PENDING_APPROVAL', 'APPROVED', 'EXECUTING', 'COMPLETED', 'FAILED', 'DENIED', 'EXPIRED')),
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            approved_at TEXT,
            completed_at TEXT,
            error_code TEXT,
            error_message TEXT,
            result_filename TEXT,
            issued_at TEXT NOT NULL,
            approval_expires_at TEXT NOT NULL,
            script_digest TEXT,
            decision TEXT CHECK (decision IN ('APPROVE', 'DENY')),
            owes_report INTEGER NOT NULL DEFAULT 0,
            requirement_json TEXT,
            approved_here INTEGER NOT NULL DEFAULT 0,
            is_unanswered INTEGER NOT NULL DEFAULT 0,
            decision_id TEXT
        );
        INSERT INTO new_requests (id, nonce, signature, signature_valid, envelope_json, bank_id, request_type,
            parameters_json, status, created_at, updated_at, approved_at, completed_at, error_code, error_message,
            result_filename, issued_at, approval_expires_at, script_digest, decision, owes_report, requirement_json,
            approved_here, is_unanswered, decision_id)
        SELECT id, nonce, signature, signature_valid, envelope_json, bank_id, request_type,
            parameters_json, status, created_at, updated_at, approved_at, completed_at, error_code, error_message,
            result_filename, issued_at, approval_expires_at, script_digest, decision, owes_report, requirement_json,
            approved_here, is_unanswered, decision_id
        FROM requests;
        DROP TABLE requests;
        ALTER TABLE new_requests RENAME TO requests;
        CREATE INDEX requests_by_status ON requests (status);

        CREATE TABLE delivered_documents (
            request_id TEXT NOT NULL,
            document_id TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            PRIMARY KEY (request_id, document_id)
        );
        CREATE TABLE closings (request_id TEXT PRIMARY KEY, closing_json TEXT NOT NULL);
        """
}
