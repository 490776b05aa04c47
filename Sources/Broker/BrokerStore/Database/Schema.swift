import GRDB
import Messages
import Storage

/// The broker's tables (specification, section 9.2). Migrations are added, never edited.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 requests and manifests") { db in
            let states = RequestStatus.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            try db.execute(
                sql: """
                    CREATE TABLE pending_requests (
                        id TEXT PRIMARY KEY NOT NULL,
                        agent_request_id TEXT UNIQUE,
                        request_type TEXT NOT NULL,
                        parameters_json TEXT NOT NULL,
                        nonce TEXT NOT NULL UNIQUE,
                        signed_envelope_json TEXT NOT NULL,
                        status TEXT NOT NULL CHECK (status IN (\(states))),
                        created_at TEXT NOT NULL,
                        updated_at TEXT NOT NULL,
                        approval_expires_at TEXT NOT NULL,
                        execution_started_at TEXT,
                        execution_timeout_at TEXT,
                        telegram_message_id TEXT,
                        result_file_path TEXT,
                        result_sha256 TEXT,
                        error_code TEXT,
                        error_message TEXT,
                        completion_nonce TEXT UNIQUE
                    ) STRICT;
                    CREATE INDEX pending_requests_by_status ON pending_requests (status, approval_expires_at);
                    CREATE INDEX pending_requests_by_age ON pending_requests (created_at DESC, id);
                    CREATE TABLE completion_manifests (
                        request_id TEXT PRIMARY KEY NOT NULL REFERENCES pending_requests (id),
                        filename TEXT NOT NULL,
                        sha256 TEXT NOT NULL,
                        bytes INTEGER NOT NULL,
                        completed_at TEXT NOT NULL,
                        nonce TEXT NOT NULL UNIQUE,
                        signature TEXT NOT NULL,
                        manifest_json TEXT NOT NULL,
                        verified_at TEXT NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("2 deadlines on a clock that only goes forward") { db in
            try db.execute(
                sql: """
                    CREATE TABLE request_deadlines (
                        request_id TEXT PRIMARY KEY NOT NULL REFERENCES pending_requests (id),
                        due_milliseconds INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX request_deadlines_by_time ON request_deadlines (due_milliseconds);
                    CREATE TABLE clock_mark (
                        only INTEGER PRIMARY KEY CHECK (only = 1),
                        boot TEXT NOT NULL,
                        wall TEXT NOT NULL
                    ) STRICT;
                    CREATE INDEX pending_requests_by_status_and_age
                        ON pending_requests (status, created_at DESC, id);
                    """)
        }
        migrator.registerMigration("3 identity, devices and pairing") { db in
            try db.execute(sql: DeviceSchema.tables)
        }
        migrator.registerMigration("names of decisions") { db in
            try db.execute(sql: "ALTER TABLE pending_requests ADD COLUMN decision_id TEXT")
        }
        migrator.registerMigration("agents") { db in
            try db.execute(sql: AgentSchema.tables)
        }
        migrator.registerMigration("refused deliveries") { db in
            try db.execute(sql: "ALTER TABLE pending_requests ADD COLUMN refused_delivery TEXT")
        }
        migrator.registerMigration("default device") { db in
            try db.execute(
                sql: """
                    -- The default device, which cannot sign, is switched off by the first pairing.
                    CREATE TABLE default_device (
                        only INTEGER PRIMARY KEY CHECK (only = 1),
                        is_on INTEGER NOT NULL
                    ) STRICT;
                    INSERT INTO default_device VALUES (1, 1);
                    ALTER TABLE pairing_sessions ADD COLUMN keeps_default_device INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        migrator.registerMigration("words of phones") { db in
            try db.execute(
                sql: """
                    -- A phone's words about a failed run quote the bank's page.
                    ALTER TABLE pending_requests ADD COLUMN phone_says TEXT;
                    UPDATE pending_requests SET phone_says = error_message, error_message = NULL
                    WHERE error_code IN ('BANK_LOGIN_FAILED', 'BANK_2FA_TIMEOUT', 'NAVIGATION_FAILED',
                        'PDF_DOWNLOAD_FAILED', 'ICLOUD_WRITE_FAILED', 'BANK_ON_HOLD');
                    """)
        }
        migrator.registerMigration("banks of phones") { db in
            try db.execute(sql: BankStore.tables)
        }
        migrator.registerMigration("several documents") { db in
            try db.execute(sql: RequestDocument.tables)
        }
        migrator.registerMigration("filed documents") { db in
            try db.execute(sql: RequestStore.filingTables)
        }
        migrator.registerMigration("documents to file") { db in
            try db.execute(sql: RequestStore.filingQueue)
        }
        migrator.registerMigration("other agents") { db in
            try db.execute(sql: RequestStore.otherAgentsTable)
        }
        migrator.registerMigration("accounts of documents") { db in
            try db.execute(sql: RequestDocument.accountsOfDocuments)
        }
        migrator.registerMigration("documents for paperless-ngx") { db in
            try db.execute(sql: PaperlessStore.tables)
        }
        migrator.registerMigration("events for a webhook") { db in
            try db.execute(sql: WebhookStore.tables)
        }
        migrator.registerMigration("lists of banks") { db in
            try db.execute(sql: BankStore.listsTable)
        }
        migrator.registerMigration("offers and schedules") { db in
            try db.execute(sql: OfferStore.tables)
            try db.execute(sql: ScheduleStore.tables)
        }
        migrator.registerMigration("days of documents") { db in
            try db.execute(sql: RequestDocument.daysOfDocuments)
        }
        migrator.registerMigration("messages of channels") { db in
            try db.execute(sql: RequestStore.channelMessagesTable)
        }
        migrator.registerMigration("key of receipts") { db in
            try db.execute(sql: ReceiptStore.table)
        }
        migrator.registerMigration("parts of documents") { db in
            try db.execute(sql: RequestDocument.partsOfDocuments)
        }
        migrator.registerMigration("programs elsewhere") { db in
            try db.execute(sql: ClientStore.tables)
        }
        migrator.registerMigration("languages of the owner") { db in
            try db.execute(sql: OwnerStore.languagesTable)
        }
        migrator.registerMigration("consents of banks") { db in
            try db.execute(sql: BankStore.consentsTable)
        }
        migrator.registerMigration("folders of filed documents") { db in
            try db.execute(sql: RequestStore.filingFolders)
        }
        migrator.registerMigration("addresses of programs that ask") { db in
            try db.execute(sql: ClientStore.originsOfAsks)
        }
        AuditLog.registerMigrations(&migrator)
        return migrator
    }
}
