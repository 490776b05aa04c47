import Foundation

/// The clocks on the walls of one time zone, with their changes between standard and daylight saving time.
package struct WallClock: Sendable, Hashable {
    private static let day: TimeInterval = 86_400

    package let zone: TimeZone

    package init(_ zone: TimeZone) {
        self.zone = zone
    }

    /// - Parameter name: a name of the IANA's database. UTC takes the place of one that this machine does not know.
    package init(named name: String) {
        self.init(TimeZone(identifier: name) ?? .gmt)
    }

    /// Returns the day on which a moment falls, counted from 1 January 1970.
    package func day(of moment: Date) -> Int {
        Int(((moment.timeIntervalSince1970 + offset(moment.timeIntervalSince1970)) / Self.day).rounded(.down))
    }

    /// Returns the first moment of a day at which the clocks show a time of day, or a later one.
    ///
    /// A time that the day has twice counts as the first of the two. One that it has not, because clocks go forward over
    /// it, is the moment at which they do (02:30 becomes 03:00).
    ///
    /// - Parameters:
    ///   - minute: 0…1440, of the day.
    ///   - day: counted from 1 January 1970.
    package func moment(ofMinute minute: Int, onDay day: Int) -> Date {
        let wanted = TimeInterval(day) * Self.day + TimeInterval(minute * 60)
        let before = offset(wanted - Self.day)
        let after = offset(wanted + Self.day)
        guard before != after else { return Date(timeIntervalSince1970: wanted - before) }
        let change = change(from: wanted - Self.day, to: wanted + Self.day)
        if wanted - before < change { return Date(timeIntervalSince1970: wanted - before) }
        return Date(timeIntervalSince1970: max(change, wanted - after))
    }

    /// Returns the second at which the offset from UTC changes, by bisection.
    private func change(from start: TimeInterval, to end: TimeInterval) -> TimeInterval {
        var (low, high) = (start.rounded(.down), end.rounded(.up))
        let old = offset(low)
        while high - low > 1 {
            let middle = ((low + high) / 2).rounded(.down)
            if offset(middle) == old { low = middle } else { high = middle }
        }
        return high
    }

    private func offset(_ seconds: TimeInterval) -> TimeInterval {
        TimeInterval(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
    }
}
