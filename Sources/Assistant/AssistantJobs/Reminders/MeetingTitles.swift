import AssistantProcesses
import AssistantStore
import Clocks
import Foundation

/// Finds the titles of meetings for users who want to see details.
package protocol MeetingTitles: Sendable {
    /// Returns the title; nil when the user does not want it, or it cannot be had.
    func title(of reminder: Reminder, _ userID: UUID, at now: Date) async -> String?
}

/// Asks Google for titles, at the moment of the reminder: titles are not stored.
package struct GoogleTitles: MeetingTitles {
    /// The reminder goes out without a title when Google takes longer.
    package static let limit: Duration = .seconds(10)

    private let google: GoogleAccess
    private let transports: GoogleTransports
    private let limit: Duration
    private let database: AssistantDatabase
    private let keys: StateKeys

    /// - Parameter transports: for titles alone. The usual ones may all wait for Google.
    package init(
        _ google: GoogleAccess, over transports: GoogleTransports, _ database: AssistantDatabase, _ keys: StateKeys,
        limit: Duration = GoogleTitles.limit
    ) {
        self.google = google
        self.transports = transports
        self.database = database
        self.keys = keys
        self.limit = limit
    }

    package func title(of reminder: Reminder, _ userID: UUID, at now: Date) async -> String? {
        guard let wishes = try? await NotificationPreferences(of: userID, in: database, keys), wishes.showsDetails
        else { return nil }
        let (answers, answer) = AsyncStream<String?>.makeStream()
        let look = Task { [google, transports] in
            let title = try? await google.ask(.calendar, of: userID, at: now, over: transports) { api, _ in
                let events = try await CalendarClient(api).events(
                    of: reminder.calendar, from: reminder.start, to: reminder.start.addingTimeInterval(1))
                return events.first { $0.id == reminder.event }?.title
            }
            answer.yield(title)
        }
        // The reminder does not wait for the end of the look, which an exchange of tokens may delay.
        let alarm = Task { [limit] in
            try? await SystemClock().sleep(for: limit)
            answer.finish()
        }
        defer {
            look.cancel()
            alarm.cancel()
        }
        for await title in answers { return title }
        return nil
    }
}
