import Clocks
import Foundation

/// A time of day by the clocks of a place, such as 08:00.
package struct LocalTimeOfDay: Sendable, Hashable {
    package static let midnight = LocalTimeOfDay(minute: 0)

    /// 0…1439.
    package let minute: Int

    private init(minute: Int) {
        self.minute = minute
    }

    /// Reads `HH:MM`, from 00:00 to 23:59.
    package init?(_ text: String) {
        guard let match = text.wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/), let hour = Int(match.1),
            let minute = Int(match.2)
        else { return nil }
        self.minute = hour * 60 + minute
    }

    /// Returns the first moment after this one at which clocks in a zone show this time.
    package func next(after moment: Date, in zone: TimeZone) -> Date {
        let today = LocalDay(of: moment, in: zone).number
        let found = (today - 1...today + 2).lazy.map { self.moment(onDay: $0, in: zone) }.first { $0 > moment }
        guard let found else { preconditionFailure("every day has this time") }
        return found
    }

    /// Returns the moment on one day, as ``WallClock`` has it: of two the first, and for a time that is left out the moment
    /// at which clocks go forward.
    ///
    /// - Parameter day: counted from 1 January 1970.
    package func moment(onDay day: Int, in zone: TimeZone) -> Date {
        WallClock(zone).moment(ofMinute: minute, onDay: day)
    }
}

/// A day by the clocks of a place. It lasts 23 or 25 hours when they are changed.
package struct LocalDay: Sendable, Hashable {
    /// Counted from 1 January 1970.
    package let number: Int
    private let zone: TimeZone

    package init(of moment: Date, in zone: TimeZone) {
        number = WallClock(zone).day(of: moment)
        self.zone = zone
    }

    private init(_ number: Int, in zone: TimeZone) {
        self.number = number
        self.zone = zone
    }

    package var start: Date { LocalTimeOfDay.midnight.moment(onDay: number, in: zone) }

    package var end: Date { LocalDay(number + 1, in: zone).start }

    /// Returns the moment of the day at which clocks show a time.
    package func moment(_ time: LocalTimeOfDay) -> Date { time.moment(onDay: number, in: zone) }
}

/// The times between which the user is not to be disturbed. They may pass midnight; equal times mean never.
package struct QuietTimes: Sendable, Hashable {
    package let start: LocalTimeOfDay
    package let end: LocalTimeOfDay

    package init(start: LocalTimeOfDay, end: LocalTimeOfDay) {
        self.start = start
        self.end = end
    }

    /// Returns the parts of a day that are not quiet, in their order.
    package func awake(on day: LocalDay) -> [DateInterval] {
        let (first, last) = (day.start, day.end)
        let parts: [(Date, Date)] =
            if start == end {
                [(first, last)]
            } else if start.minute > end.minute {
                [(day.moment(end), day.moment(start))]
            } else {
                [(first, day.moment(start)), (day.moment(end), last)]
            }
        return parts.filter { $0.0 < $0.1 }.map { DateInterval(start: $0.0, end: $0.1) }
    }
}
