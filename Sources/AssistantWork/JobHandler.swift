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

/// Performs the jobs of one type.
package protocol JobHandler: Sendable {
    var type: JobType { get }

    /// Performs a job that this worker has leased. A job may be performed again after a crash, so its effects must
    /// bear that.
    ///
    /// - Throws: any error counts as ``JobEnd/retry(after:reason:)``.
    func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd
}
