import Foundation
import Secrets

/// The assistant's database: its tables, and a store for each group of them.
///
/// All processes of one assistant open the same database. A change that spans groups is one transaction.
package struct AssistantDatabase: Sendable {
    package let driver: any SQLDatabase
    /// The counts of this and the other processes.
    package let metrics: MetricStore
    private let preferenceReads: GatheredCalls<UUID, Preferences?>
    private let recipientReads: GatheredCalls<UUID, NoticeRecipient?>
    private let calendarReads: GatheredCalls<UUID, StoredCalendar?>
    private let auditRecords: GatheredCalls<UserAuditEvent, Void>

    package var users: UserStore { UserStore(database: driver) }
    package var sessions: SessionStore { SessionStore(database: driver) }
    package var passkeys: PasskeyStore { PasskeyStore(database: driver) }
    package var invitations: InvitationStore { InvitationStore(database: driver) }
    package var devices: DeviceStore { DeviceStore(database: driver) }
    package var preferences: PreferenceStore { PreferenceStore(database: driver, reads: preferenceReads) }
    package var notificationPreferences: NotificationPreferenceStore { NotificationPreferenceStore(database: driver) }
    package var notices: NoticeStore { NoticeStore(database: driver, recipients: recipientReads) }
    package var providerTokens: ProviderTokenStore { ProviderTokenStore(database: driver) }
    package var connectors: ConnectorStore { ConnectorStore(database: driver) }
    package var consents: ConsentStore { ConsentStore(database: driver) }
    package var audit: AuditEventStore { AuditEventStore(database: driver, records: auditRecords) }
    package var jobs: JobStore { JobStore(database: driver) }
    package var workers: WorkerStore { WorkerStore(database: driver) }
    package var calendars: CalendarStateStore { CalendarStateStore(database: driver, reads: calendarReads) }
    package var personalData: PersonalDataStore { PersonalDataStore(database: driver) }
    package var briefs: BriefStore { BriefStore(database: driver) }
    package var mail: MailStateStore { MailStateStore(database: driver) }
    package var alerts: AlertStore { AlertStore(database: driver) }
    package var confirmations: ConfirmationStore { ConfirmationStore(database: driver) }
    package var privacy: PrivacyRequestStore { PrivacyRequestStore(database: driver) }

    /// Opens the database and migrates it.
    ///
    /// - Throws: ``AssistantStoreError``, `FileError`.
    package init(_ driver: any SQLDatabase, at now: Date = Date()) async throws {
        self.driver = driver
        metrics = MetricStore(driver)
        preferenceReads = PreferenceStore.reads(driver)
        recipientReads = NoticeStore.recipients(driver)
        calendarReads = CalendarStateStore.reads(driver)
        auditRecords = AuditEventStore.records(driver)
        try await Migrations.apply(to: driver, at: now)
    }

    /// Opens the database of `ASSISTANT_DATABASE_URL`.
    ///
    /// - Parameters:
    ///   - url: `sqlite:PATH`, or a URI of libpq's.
    ///   - password: PostgreSQL's, from a file.
    ///   - authorities: additional roots for PostgreSQL's certificate (PEM).
    /// - Throws: ``AssistantStoreError``, `FileError`.
    package static func open(_ url: String, password: Secret? = nil, authorities: URL? = nil) async throws
        -> AssistantDatabase
    {
        if url.hasPrefix("sqlite:") {
            let path = String(url.dropFirst("sqlite:".count))
            guard !path.isEmpty else {
                throw AssistantStoreError(.other, "write sqlite:PATH in ASSISTANT_DATABASE_URL")
            }
            return try await AssistantDatabase(SQLiteDatabase(URL(filePath: path)))
        }
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
            throw AssistantStoreError(
                .other, "ASSISTANT_DATABASE_URL must begin with sqlite:, postgres:// or postgresql://")
        }
        let address = try PostgresAddress(url, password: password, authorities: authorities)
        return try await AssistantDatabase(PostgresDatabase(address))
    }

    package func close() async {
        await metrics.close()
        await driver.close()
    }
}
