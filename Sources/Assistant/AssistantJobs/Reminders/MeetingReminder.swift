import AssistantStore
import Encodings
import Foundation
import Notifications

/// Reminds a user of a meeting some minutes before it begins.
package struct MeetingReminder: JobHandler {
    /// A reminder is still sent so long after it was due, though the meeting has begun.
    static let grace: TimeInterval = 600

    package let type = JobType.meetingReminder

    private let database: AssistantDatabase
    private let keys: StateKeys
    private let notices: any NoticeDelivering
    private let titles: any MeetingTitles

    package init(
        database: AssistantDatabase, keys: StateKeys, notices: any NoticeDelivering, titles: any MeetingTitles
    ) {
        self.database = database
        self.keys = keys
        self.notices = notices
        self.titles = titles
    }

    package func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd {
        let user = job.userID
        let begun = ContinuousClock.now
        guard let sealed = job.sealedPayload, let reminder = try? Reminder(sealed, keys, of: user) else {
            return .failed(reason: "UNREADABLE_PAYLOAD")
        }
        guard let preferences = try await database.preferences.preferences(of: user) else { return .done }
        let due = reminder.due(lead: preferences.meetingReminderMinutes)
        // The user has chosen a later time since it was planned.
        if due > now.addingTimeInterval(1) { return .next(due) }
        // What counts is when it could be sent first.
        let start = max(due, reminder.planned)
        guard now <= max(reminder.start, start.addingTimeInterval(Self.grace)) else {
            database.metrics.count(.reminders(.late))
            return .failed(reason: "LATE")
        }
        let title = await titles.title(of: reminder, user, at: now)
        let notice = notice(job, reminder, due, start, title, preferences, at: now)
        switch try await notices.deliver(notice, to: user, at: now) {
        case .accepted:
            database.metrics.count(.reminders(.delivered))
            database.metrics.observe(
                .reminderLatency, .seconds(max(0, now.timeIntervalSince(start))) + begun.duration(to: .now))
        case .held: database.metrics.count(.reminders(.held))
        case .noDevice: database.metrics.count(.reminders(.noDevice))
        case .refused: database.metrics.count(.reminders(.refused))
        case .later(let pause): return .retry(after: pause, reason: "PUSH_UNAVAILABLE")
        }
        return .done
    }

    private func notice(
        _ job: LeasedJob, _ reminder: Reminder, _ due: Date, _ start: Date, _ title: String?,
        _ preferences: Preferences,
        at now: Date
    ) -> Notice {
        let id = job.id.uuidString.lowercased()
        let words = ReminderWords(start: reminder.start, zone: preferences.timeZone, at: now)
        return Notice(
            .meetingReminder, title: words.title, text: words.text,
            details: title.map { Notice.Details(title: $0, text: "\(words.title). \(words.text)") }, id: id,
            link: "alfred://reminders/\(id)",
            // The same for a repetition after a crash, and another one for another time.
            collapseKey: "\(id)-\(Int(due.timeIntervalSince1970))",
            expires: max(reminder.start, start.addingTimeInterval(Self.grace)), begins: reminder.start)
    }
}

/// The words of a reminder, which name no meeting and no person.
struct ReminderWords: Sendable, Hashable {
    let title: String
    let text: String

    /// - Parameter zone: the user's, by its name in the IANA's database.
    init(start: Date, zone: String, at now: Date) {
        let minutes = Int((start.timeIntervalSince(now) / 60).rounded(.up))
        title = minutes > 0 ? "Meeting in \(Self.length(minutes))" : "Meeting now"
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
        let parts = calendar.dateComponents([.hour, .minute], from: start)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        text = "It begins at \(two(parts.hour)):\(two(parts.minute))."
    }

    private static func length(_ minutes: Int) -> String {
        let hours = minutes / 60
        let rest = minutes % 60
        if hours == 0 { return rest.counted("minute") }
        return rest == 0 ? hours.counted("hour") : "\(hours.counted("hour")) \(rest.counted("minute"))"
    }
}
