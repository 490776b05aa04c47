import AssistantStore
import Foundation
import Synchronization

@testable import AssistantJobs

/// A worker that dies in the middle of its work: before it sends, or between sending and recording.
final class DyingWorker: Sendable {
    private let stage: ReminderStage
    /// Those whose work shows.
    private let handlers: [any JobHandler]
    private let count = Mutex(0)

    var deaths: Int { count.withLock { $0 } }

    init(_ stage: ReminderStage, notices: any NoticeDelivering, briefs: MorningBriefHandler? = nil) {
        self.stage = stage
        let reminders = MeetingReminder(
            database: stage.database, keys: stage.keys, notices: notices, titles: NoTitles())
        handlers = [reminders] + (briefs.map { [$0] } ?? [])
    }

    func workAndDie(sending: Bool) async throws {
        for type in [JobType.meetingReminder, .morningBrief, .calendarSync] {
            let jobs = try await stage.database.jobs.lease(
                type.rawValue, atMost: 16, for: WorkerLimits().lease, at: stage.now)
            guard !jobs.isEmpty else { continue }
            count.withLock { $0 += 1 }
            guard sending, let handler = handlers.first(where: { $0.type == type }) else { continue }
            for job in jobs { _ = try await handler.perform(job, at: stage.now) }
        }
    }
}
