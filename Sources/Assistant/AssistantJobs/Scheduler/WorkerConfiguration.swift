import AssistantProcesses
import Foundation

/// The settings of a worker, from environment variables.
package struct WorkerConfiguration: Sendable {
    package var places: AssistantPlaces
    package var database: DatabaseSettings
    /// The client that Google knows; nil when none is set up, and nothing is read then.
    package var google: GoogleSettings?
    /// The channels by which notices go out.
    package var notices: NoticeSettings
    /// The broker that is asked for statements; nil when none is set up.
    package var broker: BrokerSettings?
    /// Additional roots for every outgoing TLS connection (PEM).
    package var authorities: URL?
    /// The seconds between two looks at a user's calendars.
    package var calendarSeconds = 60
    /// The seconds between two looks at a user's mail.
    package var mailSeconds = 120

    package init(
        places: AssistantPlaces, database: DatabaseSettings, google: GoogleSettings?, notices: NoticeSettings
    ) {
        self.places = places
        self.database = database
        self.google = google
        self.notices = notices
    }

    /// - Throws: `AssistantConfigurationError` with every problem.
    package init(environment: [String: String]) throws(AssistantConfigurationError) {
        var reader = SettingsReader(environment)
        places = AssistantPlaces(&reader)
        database = DatabaseSettings(&reader)
        google = GoogleSettings(&reader)
        notices = NoticeSettings(&reader)
        broker = BrokerSettings(&reader)
        authorities = reader.readableFile("ASSISTANT_CA_FILE")
        calendarSeconds = reader.whole("ASSISTANT_CALENDAR_SYNC_SECONDS", in: 1...86_400, otherwise: calendarSeconds)
        mailSeconds = reader.whole("ASSISTANT_MAIL_SYNC_SECONDS", in: 1...86_400, otherwise: mailSeconds)
        try reader.finish()
    }
}
