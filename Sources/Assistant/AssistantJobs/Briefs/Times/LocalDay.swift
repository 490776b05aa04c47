import Clocks
import Foundation

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
