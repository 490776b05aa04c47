import ArgumentParser
import Clocks
import Foundation

/// A month as a person types it: `2026-01`, `last-month` or `this-month`.
package enum StatementMonth: ExpressibleByArgument {
    case month(MonthYear)
    case lastMonth
    case thisMonth

    /// The words, and the two years of months that banks have most often.
    package static var defaultCompletionKind: CompletionKind {
        .custom { _, _, _ in
            let months = sequence(first: MonthYear.current(at: Date(), in: .current)) { $0.previous }
            return ["last-month", "this-month"] + months.prefix(24).map(\.description)
        }
    }

    package init?(argument: String) {
        switch argument {
        case "last-month": self = .lastMonth
        case "this-month": self = .thisMonth
        default:
            guard let first = CalendarDate("\(argument)-01"),
                let month = MonthYear(month: first.month, year: first.year)
            else { return nil }
            self = .month(month)
        }
    }

    /// The month that is meant at this moment, by the calendar of the zone.
    package func period(at moment: Date = Date(), in zone: TimeZone = .current) -> MonthYear? {
        switch self {
        case .month(let month): month
        case .lastMonth: MonthYear.current(at: moment, in: zone).previous
        case .thisMonth: MonthYear.current(at: moment, in: zone)
        }
    }
}
