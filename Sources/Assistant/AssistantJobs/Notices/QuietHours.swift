import AssistantStore
import Clocks
import Foundation

/// The hours in which a user wants to hear nothing, by the clocks of the user's zone. They may pass midnight.
struct QuietHours: Sendable, Hashable {
    private let start: Int
    private let end: Int
    private let clock: WallClock

    /// - Parameters:
    ///   - start: a time of day, `HH:MM`.
    ///   - end: the same as `start` for no quiet hours.
    ///   - zone: a name of the IANA's database.
    init(from start: String, to end: String, zone: String) {
        self.start = Self.minute(start)
        self.end = Self.minute(end)
        clock = WallClock(named: zone)
    }

    init(_ preferences: Preferences) {
        self.init(from: preferences.quietHoursStart, to: preferences.quietHoursEnd, zone: preferences.timeZone)
    }

    /// Returns the end of the quiet hours in which a moment falls; nil when it falls in none.
    ///
    /// Quiet hours begin once a day. Those whose beginning or end is on a clock twice, as clocks go back, begin or end at
    /// the first of the two.
    func end(around moment: Date) -> Date? {
        guard start != end else { return nil }
        let today = clock.day(of: moment)
        for day in [today - 1, today] {
            let begin = clock.moment(ofMinute: start, onDay: day)
            let over = clock.moment(ofMinute: end, onDay: start < end ? day : day + 1)
            if begin <= moment, moment < over { return over }
        }
        return nil
    }

    private static func minute(_ time: String) -> Int {
        let parts = time.split(separator: ":").compactMap { Int($0) }
        return parts.count == 2 ? parts[0] * 60 + parts[1] : 0
    }
}
