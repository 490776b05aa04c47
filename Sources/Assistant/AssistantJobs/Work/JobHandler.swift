import AssistantStore
import Foundation

/// The kinds of jobs (specification, section 8.1).
package enum JobType: String, Sendable, Hashable, CaseIterable {
    case meetingReminder = "MEETING_REMINDER"
    case morningBrief = "MORNING_BRIEF"
    case urgentMail = "URGENT_MAIL"
    case calendarSync = "CALENDAR_SYNC"
    case statementDue = "STATEMENT_DUE"
    case deleteAll = "DELETE_ALL"
    case keyRotation = "KEY_ROTATION"
}

/// The end of one run of a job.
package enum JobEnd: Sendable, Hashable {
    case done
    /// It is due again at this time.
    case next(Date)
    /// It could not be done now. The worker tries again after a pause that grows, at least this long.
    case retry(after: Duration?, reason: String)
    /// It can never be done. It is set aside, and the user's audit log says so.
    case failed(reason: String)
}

/// The users for whom the worker plans a job of a type by itself.
package enum JobPlanning: Sendable, Hashable {
    /// For none: something else plans it.
    case onDemand
    /// One for each user with a connection in use. When it ends with ``JobEnd/done``, it is planned again once the user
    /// has a connection in use.
    case perConnection
}

/// Performs the jobs of one type.
package protocol JobHandler: Sendable {
    var type: JobType { get }

    /// The default is ``JobPlanning/onDemand``.
    var planning: JobPlanning { get }

    /// The longest pause of a job that could not be done, in seconds; nil for the worker's own. When the other side asks for
    /// a longer one, that counts.
    var longestPause: TimeInterval? { get }

    /// Returns when a job that the worker plans by itself is due first. The default is now.
    func firstDue(of userID: UUID, at now: Date) async throws -> Date

    /// Performs a job that this worker has leased. A job may be performed again after a crash, so its effects must
    /// bear that.
    ///
    /// A periodic job is performed before its time when the user's preferences or connection have changed. If nothing is
    /// to be done yet, the answer is ``JobEnd/next(_:)`` with the right time.
    ///
    /// - Throws: any error counts as ``JobEnd/retry(after:reason:)``. A job that only throws is set aside in the end.
    func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd
}

extension JobHandler {
    package var planning: JobPlanning { .onDemand }

    package var longestPause: TimeInterval? { nil }

    package func firstDue(of userID: UUID, at now: Date) async throws -> Date { now }
}
