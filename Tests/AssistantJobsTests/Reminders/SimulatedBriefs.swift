import AssistantStore
import Foundation
import Notifications

@testable import AssistantJobs

/// Reads the meetings of briefs from scripted calendars.
struct ScriptedBriefs: BriefReading {
    let calendars: ScriptedCalendars

    func meetings(of userID: UUID, _ window: DateInterval, at now: Date) async throws -> [Brief.Meeting] {
        try calendars.meetings(of: userID, window)
    }

    func urgentMail(of userID: UUID, at now: Date) async throws -> [Brief.UrgentMail] { [] }
}

extension NoticeVerdict {
    private struct BriefKey: Hashable {
        let user: UUID
        let due: Date
    }

    /// Judges the morning briefs.
    ///
    /// - Parameter zones: those of the users, who all want the brief at the same time of day.
    static func briefs(
        _ users: [UUID], zones: [String], _ sent: [RememberingDevices.Sent], from start: Date, until end: Date
    ) -> NoticeVerdict {
        let times = zones.map { zone in
            let times = BriefTimes(Preferences(timeZone: zone))
            return Array(sequence(first: times.next(after: start)) { times.next(after: $0) }.prefix { $0 < end })
        }
        var due: [BriefKey: Date] = [:]
        var timesOfUser: [UUID: [Date]] = [:]
        for (number, user) in users.enumerated() {
            let own = times[number % zones.count]
            timesOfUser[user] = own
            for time in own { due[BriefKey(user: user, due: time)] = time }
        }
        // A brief belongs to the last time before it.
        let shown = Dictionary(grouping: sent.filter { $0.notice.kind == .morningBrief }) { sent in
            BriefKey(user: sent.user, due: timesOfUser[sent.user]?.last { $0 <= sent.time } ?? .distantPast)
        }
        return NoticeVerdict(due: due, shown: shown)
    }
}
