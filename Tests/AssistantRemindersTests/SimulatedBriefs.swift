import AssistantBriefs
import AssistantStore
import Foundation
import Notifications

@testable import AssistantReminders

/// Reads the meetings of briefs from scripted calendars.
struct ScriptedBriefs: BriefReading {
    let calendars: ScriptedCalendars

    func meetings(of userID: UUID, _ window: DateInterval, at now: Date) async throws -> [Brief.Meeting] {
        try calendars.meetings(of: userID, window)
    }

    func urgentMail(of userID: UUID, at now: Date) async throws -> [Brief.UrgentMail] { [] }
}

/// The briefs that devices showed, beside those that they should have shown.
struct BriefVerdict {
    private struct Key: Hashable {
        let user: UUID
        let due: Date
    }

    let expected: Int
    let lost: [String]
    let unexpected: [String]
    let shownTwice: [String]
    /// In seconds, from the brief's time, in their order.
    let latencies: [TimeInterval]
    var shareInTime: Double { Double(latencies.filter { $0 <= 60 }.count) / Double(max(1, latencies.count)) }

    /// - Parameter zones: those of the users, who all want the brief at the same time of day.
    init(
        _ users: [UUID], zones: [String], _ sent: [RememberingDevices.Sent], from start: Date, until end: Date
    ) {
        let times = zones.map { zone in
            let times = BriefTimes(Preferences(timeZone: zone))
            return Array(sequence(first: times.next(after: start)) { times.next(after: $0) }.prefix { $0 < end })
        }
        var due: Set<Key> = []
        var timesOfUser: [UUID: [Date]] = [:]
        for (number, user) in users.enumerated() {
            let own = times[number % zones.count]
            timesOfUser[user] = own
            for time in own { due.insert(Key(user: user, due: time)) }
        }
        // A brief belongs to the last time before it.
        let shown = Dictionary(grouping: sent.filter { $0.notice.kind == .morningBrief }) { sent in
            Key(user: sent.user, due: timesOfUser[sent.user]?.last { $0 <= sent.time } ?? .distantPast)
        }
        expected = due.count
        lost = due.filter { shown[$0] == nil }.map { "\($0)" }
        unexpected = shown.keys.filter { !due.contains($0) }.map { "\($0)" }
        shownTwice = shown.filter { Set($0.value.map(\.notice.collapseKey)).count > 1 }.map { "\($0.key)" }
        latencies = due.compactMap { key in
            shown[key]?.map(\.time).min()?.timeIntervalSince(key.due)
        }.sorted()
    }
}
