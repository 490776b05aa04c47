import GRDB

/// The log's tables. Triggers refuse to change a record, and to delete a record that was not pruned: a bug cannot rewrite
/// the past. The owner of the file can, which only a checkpoint reveals.
enum AuditSchema {
    static func register(in migrator: inout DatabaseMigrator) {
        migrator.registerMigration("audit log 1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE audit_log (
                        id INTEGER PRIMARY KEY,
                        created_at TEXT NOT NULL,
                        severity TEXT NOT NULL,
                        request_id TEXT,
                        event_type TEXT NOT NULL,
                        event_details_json TEXT NOT NULL,
                        previous_hash TEXT NOT NULL,
                        hash TEXT NOT NULL
                    );
                    CREATE INDEX audit_log_by_request ON audit_log (request_id);

                    CREATE TABLE audit_anchor (
                        only INTEGER PRIMARY KEY CHECK (only = 1),
                        pruned_through INTEGER NOT NULL,
                        hash TEXT NOT NULL
                    );
                    INSERT INTO audit_anchor VALUES (1, 0, '\(AuditRecord.noHash)');

                    CREATE TRIGGER audit_log_never_changes BEFORE UPDATE ON audit_log
                    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

                    CREATE TRIGGER audit_log_never_forgets BEFORE DELETE ON audit_log
                    WHEN OLD.id > (SELECT pruned_through FROM audit_anchor)
                    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

                    CREATE TRIGGER audit_log_continues BEFORE INSERT ON audit_log
                    WHEN NEW.id IS NOT 1 + (
                            SELECT max(last) FROM (
                                SELECT max(id) AS last FROM audit_log
                                UNION ALL SELECT pruned_through FROM audit_anchor))
                        OR NEW.previous_hash IS NOT coalesce(
                            (SELECT hash FROM audit_log WHERE id = NEW.id - 1),
                            (SELECT hash FROM audit_anchor WHERE pruned_through = NEW.id - 1))
                    BEGIN SELECT RAISE(ABORT, 'an audit record continues the chain'); END;

                    CREATE TRIGGER audit_anchor_advances BEFORE UPDATE ON audit_anchor
                    WHEN NEW.pruned_through <= OLD.pruned_through
                        OR NEW.hash IS NOT (SELECT hash FROM audit_log WHERE id = NEW.pruned_through)
                    BEGIN SELECT RAISE(ABORT, 'the audit log is pruned from its start only'); END;

                    CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor
                    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
                    """)
        }
    }
}
