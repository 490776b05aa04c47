import Clocks
import Foundation

/// The place where a bank's interface says when the owner's consent ends, or the time for which it lasts.
///
///     consent: { until: $.access.valid_until }
///     consent: { lasts: 90 days }
public enum ConsentRule: Sendable, Hashable {
    /// A JSONPath that finds a date, a date and time, or seconds since 1970 in UTC in any answer of the bank that has it.
    case until(String)
    /// A number of days from the exchange in which the owner said yes.
    case lasts(days: Int)

    /// The values that ``lasts(days:)`` may have.
    package static let days = 1...3650
}

/// The most requests that a bank's interface allows in 24 hours, or in a minute.
///
///     budget: 24 a day
///     budget: 8 a minute
///
/// Both are counted over runs. Of a day's budget, one request too many is not made. A minute is short enough to wait for: it sets the
/// time between any two requests.
public enum RequestBudget: Sendable, Hashable {
    case aDay(Int)
    case aMinute(Int)

    /// The numbers that ``aDay(_:)`` may have.
    package static let allowedInADay = 1...100_000
    /// The numbers that ``aMinute(_:)`` may have.
    package static let allowedInAMinute = 1...600

    /// The time from one request to the next; nil where only their number counts.
    package var gap: Duration? {
        guard case .aMinute(let count) = self else { return nil }
        return .seconds(60) / count
    }

    /// Returns the moment at which the next request may leave, so that at least the gap is between any two.
    ///
    /// - Parameter latest: the moment of the latest request, which may still stand in line; nil before the first.
    package static func turn(after latest: Date?, gap: Duration, at now: Date) -> Date {
        guard let latest else { return now }
        // A clock that was set back makes no request wait for longer than a line could be.
        guard latest.timeIntervalSince(now) <= longestLine else { return now + gap.seconds }
        return max(now, latest + gap.seconds)
    }

    /// Half an hour: a run of a year's months lasts no longer than that.
    private static let longestLine: TimeInterval = 1800
}
