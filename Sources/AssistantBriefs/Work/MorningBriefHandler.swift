import AssistantMail
import AssistantNotices
import AssistantState
import AssistantStore
import AssistantWork
import Connectors
import Foundation
import Notifications

/// Makes each user's brief at its time, from what Google and the broker say then, and tells the user that it is ready.
package struct MorningBriefHandler: JobHandler {
    /// A brief is kept for so many seconds.
    package static let lifetime: TimeInterval = 3600
    /// Google may be away for so many seconds after the brief's time. Then the next one comes the next day: a brief that
    /// does not know the day's meetings would show an empty day.
    private static let patience: TimeInterval = 1800
    /// A brief that is later than this is not made: the worker was down.
    private static let latest: TimeInterval = 4 * 3600
    /// The most messages that are judged for one brief.
    private static let mostMessages = 60

    private let database: AssistantDatabase
    private let keys: StateKeys
    private let google: GoogleAccess
    private let notices: any NoticeDelivering

    package init(
        database: AssistantDatabase, keys: StateKeys, google: GoogleAccess, notices: any NoticeDelivering
    ) {
        self.database = database
        self.keys = keys
        self.google = google
        self.notices = notices
    }

    package var type: JobType { .morningBrief }
    package var planning: JobPlanning { .perConnection }

    package func firstDue(of userID: UUID, at now: Date) async throws -> Date {
        guard let preferences = try await database.preferences.preferences(of: userID) else { return now }
        return BriefTimes(preferences).next(after: now)
    }

    package func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd {
        guard let preferences = try await database.preferences.preferences(of: job.userID) else { return .done }
        let times = BriefTimes(preferences)
        let next = JobEnd.next(times.next(after: now))
        // The time or the zone may have changed since the job was planned.
        guard times.isTime(job.dueAt), job.dueAt <= now, now.timeIntervalSince(job.dueAt) < Self.latest else {
            return next
        }
        do {
            let brief = try await brief(for: job.userID, times, at: now)
            return try await deliver(brief, job, at: now) ?? next
        } catch let error as GoogleAccessError {
            guard case .later = error, now.timeIntervalSince(job.dueAt) > Self.patience else {
                return error.jobEnd(at: now)
            }
            return next
        }
    }

    // MARK: Making it

    private func brief(for userID: UUID, _ times: BriefTimes, at now: Date) async throws -> Brief {
        let composition = BriefComposition(at: now, in: times.zone, quiet: times.quiet)
        var sources = BriefSources()
        sources.meetings = try await meetings(of: userID, composition.window, at: now)
        sources.urgentMail = try await urgentMail(of: userID, at: now)
        sources.statements = try await statements(of: userID, at: now)
        return composition.brief(of: sources)
    }

    private func meetings(of userID: UUID, _ window: DateInterval, at now: Date) async throws -> [Brief.Meeting] {
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

    private func urgentMail(of userID: UUID, at now: Date) async throws -> [Brief.UrgentMail] {
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

    private func statements(of userID: UUID, at now: Date) async throws -> [Brief.Statement] {
        let known = try await database.confirmations.confirmations(
            of: userID, since: now.addingTimeInterval(-StatementOffers.lifetime))
        return try known.compactMap { confirmation in
            guard confirmation.kind == StatementSubject.kind,
                let status = Brief.Statement.Status(confirmation, at: now)
            else { return nil }
            let subject = try StatementSubject(confirmation.sealedSubject, of: confirmation.id, keys)
            return Brief.Statement(
                id: confirmation.id, month: subject.month, bank: subject.bank, status: status)
        }
    }

    // MARK: Delivery

    /// - Returns: when to try again, if no push service could be reached.
    private func deliver(_ brief: Brief, _ job: LeasedJob, at now: Date) async throws -> JobEnd? {
        let id = SealedBrief.id(of: job.id, due: job.dueAt, keys)
        let expires = now.addingTimeInterval(Self.lifetime)
        try await database.briefs.keep(
            id, of: job.userID, sealed: try SealedBrief.seal(brief, id, keys), expires: expires)
        let name = id.uuidString.lowercased()
        let notice = Notice(
            .morningBrief, title: "Good morning", text: "Your brief for today is ready.", id: name,
            link: "alfred://briefs/\(name)", collapseKey: "brief-\(name)", expires: expires)
        guard case .later(let pause) = try await notices.deliver(notice, to: job.userID, at: now) else { return nil }
        return .retry(after: pause, reason: "PUSH_UNAVAILABLE")
    }
}

extension Brief.Statement.Status {
    /// - Returns: nil for what the user does not need to know any more.
    init?(_ confirmation: StoredConfirmation, at now: Date) {
        switch confirmation.state {
        case .pending where confirmation.expiresAt > now: self = .waitsForConfirmation
        case .approved, .asked: self = .waitsForApproval
        case .done where now.timeIntervalSince(confirmation.changedAt) <= BriefComposition.mailAge: self = .arrived
        case .pending, .done, .denied, .failed: return nil
        }
    }
}
