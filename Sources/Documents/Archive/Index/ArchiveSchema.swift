import GRDB

/// The index's tables.
enum ArchiveSchema {
    /// Changes of a published index come as new migrations; an index can also be removed and made again.
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("documents and their text") { db in
            try db.execute(
                sql: """
                    CREATE TABLE documents (
                        id INTEGER PRIMARY KEY,
                        -- Of the document as the bank sent it: the same content is filed once.
                        sha256 TEXT NOT NULL UNIQUE,
                        -- Of the file, which for an HTML page is another.
                        kept_sha256 TEXT NOT NULL,
                        path TEXT NOT NULL UNIQUE,
                        bytes INTEGER NOT NULL,
                        kind TEXT NOT NULL,
                        bank TEXT NOT NULL,
                        account TEXT NOT NULL,
                        period TEXT,
                        request_id TEXT,
                        original_name TEXT,
                        filed_at TEXT NOT NULL,
                        missing_text TEXT
                    ) STRICT;
                    CREATE INDEX documents_by_kept_digest ON documents (kept_sha256);
                    CREATE INDEX documents_by_place ON documents (bank, account, period, kind);
                    CREATE VIRTUAL TABLE texts USING fts5(name, text, tokenize = 'unicode61 remove_diacritics 2');
                    """)
        }
        migrator.registerMigration("notes about documents") { db in
            try db.execute(sql: "ALTER TABLE documents ADD COLUMN note TEXT")
        }
        return migrator
    }()
}
