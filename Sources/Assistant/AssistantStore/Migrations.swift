import Foundation

/// The changes to the tables, in their order. They are added, never edited.
enum Migrations {
    static let all: [(name: String, sql: String)] = [
        ("0001 users, sessions and sign-in", UserSchema.sql), ("0002 devices and preferences", DeviceSchema.sql),
        ("0003 connectors and consent", ConnectorSchema.sql), ("0004 audit events", AuditSchema.sql),
        ("0005 jobs and privacy requests", JobSchema.sql),
        ("0006 attempts of jobs, workers and calendars", WorkSchema.sql),
        ("0007 notices and metrics", NoticeSchema.sql + MetricSchema.sql),
        ("0008 briefs, urgent mail and confirmations", BriefSchema.sql + MailSchema.sql + ConfirmationSchema.sql),
        ("0009 addresses of devices", AddressSchema.sql),
        ("0010 tokens of push services", ProviderTokenSchema.sql),
        ("0011 answered challenges", AnsweredChallengeSchema.sql),
    ]

    /// Applies what is missing, in one transaction, so that a process that is killed leaves the tables of one version.
    ///
    /// - Throws: ``AssistantStoreError`` when a newer program has migrated the database.
    static func apply(to database: any SQLDatabase, at now: Date) async throws {
        try await database.transaction(.writing) { session in
            if session.dialect == .postgres {
                // Programs that start together take turns: a lock of this transaction, which a pooler allows.
                _ = try session.rows("SELECT pg_advisory_xact_lock(4206931725)::text AS locked", [])
            }
            try session.runScript(
                session.dialect.translated(
                    "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY NOT NULL, applied_at TIMESTAMPTZ NOT NULL)"
                ))
            let applied = try session.rows("SELECT name FROM migrations ORDER BY name", []).map { try $0.text("name") }
            guard applied == all.prefix(applied.count).map(\.name) else {
                throw AssistantStoreError(
                    .other,
                    "its tables are of another version (last migration: “\(applied.last ?? "")”); "
                        + "start the version of countersign that wrote it, or a newer one")
            }
            for (name, sql) in all.dropFirst(applied.count) {
                try session.runScript(session.dialect.translated(sql))
                _ = try session.change(
                    "INSERT INTO migrations (name, applied_at) VALUES ($1, $2)", [.text(name), .time(now)])
            }
        }
    }
}
