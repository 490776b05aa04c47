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

/// The most requests that a bank's interface allows in 24 hours.
///
///     budget: 24 a day
public struct RequestBudget: Sendable, Hashable {
    public var aDay: Int

    package static let allowed = 1...100_000

    public init(aDay: Int) {
        self.aDay = aDay
    }
}
