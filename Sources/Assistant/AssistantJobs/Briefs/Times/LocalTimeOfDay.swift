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
