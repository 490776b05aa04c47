import AssistantProcesses
import AssistantStore
import Foundation

/// Reads the parts of a brief that the database does not hold.
package protocol BriefReading: Sendable {
    /// Returns the meetings in a part of a day, each once.
    ///
    /// - Throws: `GoogleAccessError`; `AssistantStoreError`.
    func meetings(of userID: UUID, _ window: DateInterval, at now: Date) async throws -> [Brief.Meeting]

    /// Returns the urgent mail of the last day.
    ///
    /// - Throws: `GoogleAccessError`; `AssistantStoreError`.
    func urgentMail(of userID: UUID, at now: Date) async throws -> [Brief.UrgentMail]
}

/// Reads meetings and mail at Google. What the user has not allowed to read is left out of the brief.
package struct GoogleBriefs: BriefReading {
    /// The most messages that are judged for one brief.
    private static let mostMessages = 60

    private let database: AssistantDatabase
    private let keys: StateKeys
    private let google: GoogleAccess

    package init(_ google: GoogleAccess, _ database: AssistantDatabase, _ keys: StateKeys) {
        self.google = google
        self.database = database
        self.keys = keys
    }

    package func meetings(of userID: UUID, _ window: DateInterval, at now: Date) async throws -> [Brief.Meeting] {
        do {
            return try await google.ask(.calendar, of: userID, at: now) { api, _ in
                let client = CalendarClient(api)
                var primary: [CalendarEvent] = []
                var others: [CalendarEvent] = []
                for calendar in try await client.calendars() {
                    if calendar == CalendarClient.primary {
                        primary = try await client.events(of: calendar, from: window.start, to: window.end)
                    } else {
                        others += try await Self.events(of: calendar, client, window)
                    }
                }
                return Self.meetings(of: primary, others)
            }
        } catch GoogleAccessError.missingScope {
            return []
        }
    }

    /// Reads a calendar besides the user's first. One that cannot be read leaves the others in the brief.
    private static func events(
        of calendar: String, _ client: CalendarClient, _ window: DateInterval
    ) async throws -> [CalendarEvent] {
        do {
            return try await client.events(of: calendar, from: window.start, to: window.end)
        } catch let error as GoogleError {
            switch error {
            case .forbidden, .refused, .malformed, .unavailable: return []
            case .invalidGrant, .unauthorized, .rateLimited: throw error
            }
        }
    }

    /// Returns the meetings of all calendars, each once. All-day, declined and cancelled events are left out.
    ///
    /// A shared calendar has its owner's answer to a meeting, so the user's first calendar decides where it has the meeting.
    static func meetings(of primary: [CalendarEvent], _ others: [CalendarEvent]) -> [Brief.Meeting] {
        let own = Set(primary.map(\.meetingID))
        var seen: Set<String> = []
        return (primary + others.filter { !own.contains($0.meetingID) }).compactMap { event in
            guard !event.isCancelled, !event.isDeclined, let start = event.start, let end = event.end,
                seen.insert(event.meetingID).inserted
            else { return nil }
            return Brief.Meeting(title: event.title ?? "", start: start, end: end)
        }
    }

    package func urgentMail(of userID: UUID, at now: Date) async throws -> [Brief.UrgentMail] {
        let wishes = try await NotificationPreferences(of: userID, in: database, keys)
        guard wishes.alertsOfUrgentMail else { return [] }
        let look = MailLook(database, keys, of: userID)
        let start = now.addingTimeInterval(-BriefComposition.mailAge)
        do {
            let mail = try await google.ask(.mail, of: userID, at: now) { api, _ in
                try await look.urgentMail(in: MailClient(api), wishes, since: start, atMost: Self.mostMessages)
            }
            return mail.map { Brief.UrgentMail(from: $0.from, subject: $0.subject, receivedAt: $0.receivedAt) }
        } catch GoogleAccessError.missingScope {
            return []
        }
    }
}
