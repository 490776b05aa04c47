import AssistantStore
import Foundation

/// The times at which a user wants the brief, and the zone by whose clocks they count.
package struct BriefTimes: Sendable, Hashable {
    package let zone: TimeZone
    package let quiet: QuietTimes
    private let time: LocalTimeOfDay

    /// Reads the preferences, which the API has checked. A zone that this machine does not know counts as UTC.
    package init(_ preferences: Preferences) {
        zone = TimeZone(identifier: preferences.timeZone) ?? .gmt
        let midnight = LocalTimeOfDay.midnight
        time = LocalTimeOfDay(preferences.morningBriefLocalTime) ?? midnight
        quiet = QuietTimes(
            start: LocalTimeOfDay(preferences.quietHoursStart) ?? midnight,
            end: LocalTimeOfDay(preferences.quietHoursEnd) ?? midnight)
    }

    package func next(after now: Date) -> Date { time.next(after: now, in: zone) }

    /// True when a moment is the brief's time on its day, to the millisecond that the database keeps.
    package func isTime(_ moment: Date) -> Bool {
        let expected = time.moment(onDay: LocalDay(of: moment, in: zone).number, in: zone)
        return abs(expected.timeIntervalSince(moment)) < 0.01
    }
}
