import AssistantNotices
import AssistantState
import AssistantStore
import AssistantWork
import Clocks
import Connectors
import Foundation

/// Finds the titles of meetings for users who want to see details.
package protocol MeetingTitles: Sendable {
    /// Returns the title; nil when the user does not want it, or it cannot be had.
    func title(of reminder: Reminder, _ userID: UUID, at now: Date) async -> String?
}

/// Asks Google for titles, at the moment of the reminder: titles are not stored.
package struct GoogleTitles: MeetingTitles {
    /// The reminder goes out without a title when Google takes longer.
    private static let limit: Duration = .seconds(10)

    private let google: GoogleAccess
    private let database: AssistantDatabase
    private let keys: StateKeys

    package init(_ google: GoogleAccess, _ database: AssistantDatabase, _ keys: StateKeys) {
        self.google = google
        self.database = database
        self.keys = keys
    }

    package func title(of reminder: Reminder, _ userID: UUID, at now: Date) async -> String? {
        guard let wishes = try? await NotificationPreferences(of: userID, in: database, keys), wishes.showsDetails
        else { return nil }
        return try? await withTimeLimit(Self.limit, on: SystemClock()) { [google] in
            try await google.ask(.calendar, of: userID, at: now) { api, _ in
                let events = try await CalendarClient(api).events(
                    of: reminder.calendar, from: reminder.start, to: reminder.start.addingTimeInterval(1))
                return events.first { $0.id == reminder.event }?.title
            }
        }
    }
}
