import AssistantProcesses
import AssistantStore
import Foundation

/// Reads users' calendars.
package protocol CalendarReading: Sendable {
    /// Reads what has changed since the last look.
    ///
    /// - Returns: what is known now, whether it has to be stored, and the connection that was read.
    /// - Throws: `GoogleAccessError`; `AssistantStoreError`.
    func read(
        _ memory: CalendarMemory, of userID: UUID, at now: Date
    ) async throws -> (memory: CalendarMemory, isNews: Bool, connector: UUID)
}

/// Reads calendars at Google.
package struct GoogleCalendars: CalendarReading {
    private let google: GoogleAccess

    package init(_ google: GoogleAccess) {
        self.google = google
    }

    package func read(
        _ memory: CalendarMemory, of userID: UUID, at now: Date
    ) async throws -> (memory: CalendarMemory, isNews: Bool, connector: UUID) {
        try await google.ask(.calendar, of: userID, at: now) { api, connector in
            var known = memory
            let isNews = try await known.read(CalendarClient(api), at: now)
            return (known, isNews, connector.id)
        }
    }
}

/// Looks at a user's calendars again and again, and plans the reminders of the next meetings.
package struct CalendarSync: JobHandler {
    package let type = JobType.calendarSync
    package let planning = JobPlanning.perConnection

    /// A calendar is looked at again soon after Google has come back.
    package var longestPause: TimeInterval? { max(interval, 30) }

    private let database: AssistantDatabase
    private let keys: StateKeys
    private let calendars: any CalendarReading
    private let interval: TimeInterval

    /// - Parameter interval: the seconds between two looks: `ASSISTANT_CALENDAR_SYNC_SECONDS`.
    package init(
        database: AssistantDatabase, keys: StateKeys, calendars: any CalendarReading, interval: TimeInterval
    ) {
        self.database = database
        self.keys = keys
        self.calendars = calendars
        self.interval = interval
    }

    package func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd {
        let user = job.userID
        guard let calendar = try await database.calendars.calendar(of: user) else { return .done }
        let stored = CalendarMemory(calendar.sealedState, keys, of: user)
        do {
            var (memory, isNews, connector) = try await calendars.read(stored, of: user, at: now)
            let lead = calendar.preferences.meetingReminderMinutes
            if isNews || lead != memory.lead {
                memory.lead = lead
                let plan = try ReminderPlan(memory, lead: lead, of: user, keys, at: now)
                _ = try await database.calendars.put(
                    try memory.sealed(keys, of: user), planning: plan.reminders, keeping: plan.kept, of: user,
                    from: connector, at: now)
            }
            return .next(now.addingTimeInterval(interval))
        } catch let error as GoogleAccessError {
            return error.jobEnd(at: now)
        }
    }
}
