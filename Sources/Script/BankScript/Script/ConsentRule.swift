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
/// A day's budget is counted over runs, and one request too many is not made. A minute is short enough to wait for: it sets the time
/// between the requests of a run.
public enum RequestBudget: Sendable, Hashable {
    case aDay(Int)
    case aMinute(Int)

    /// The numbers that ``aDay(_:)`` may have.
    package static let allowedInADay = 1...100_000
    /// The numbers that ``aMinute(_:)`` may have.
    package static let allowedInAMinute = 1...600

    /// The time from one request of a run to the next; nil where only their number counts.
    package var gap: Duration? {
        guard case .aMinute(let count) = self else { return nil }
        return .seconds(60) / count
    }
}
