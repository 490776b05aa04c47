import AssistantStore
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
    private let database: AssistantDatabase
    private let keys: StateKeys
    private let sources: any BriefReading
    private let notices: any NoticeDelivering
    private let offers: StatementOffers?

    /// - Parameter offers: knows the broker's banks; nil without a broker.
    package init(
        database: AssistantDatabase, keys: StateKeys, sources: any BriefReading, notices: any NoticeDelivering,
        offers: StatementOffers? = nil
    ) {
        self.database = database
        self.keys = keys
        self.sources = sources
        self.notices = notices
        self.offers = offers
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
        var read = BriefSources()
        read.meetings = try await sources.meetings(of: userID, composition.window, at: now)
        read.urgentMail = try await sources.urgentMail(of: userID, at: now)
        read.statements = try await statements(of: userID, at: now)
        read.consents = await offers?.consents(of: userID, at: now) ?? []
        return composition.brief(of: read)
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
