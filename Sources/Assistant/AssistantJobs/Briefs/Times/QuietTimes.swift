import Foundation

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
