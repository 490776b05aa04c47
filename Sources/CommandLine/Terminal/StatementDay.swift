import ArgumentParser
import Clocks
import Foundation
import Messages

/// An end of a range as a person types it: a month as ``StatementMonth`` takes it, or a day such as `2026-01-15`.
package enum StatementDay: ExpressibleByArgument {
    case day(RangeEnd)
    case month(StatementMonth)

    package static var defaultCompletionKind: CompletionKind { StatementMonth.defaultCompletionKind }

    package init?(argument: String) {
        if let end = RangeEnd(argument) {
            self = .day(end)
        } else if let month = StatementMonth(argument: argument) {
            self = .month(month)
        } else {
            return nil
        }
    }

    /// The month or the day that is meant at this moment, by the calendar of the zone.
    package func end(at moment: Date = Date(), in zone: TimeZone = .current) -> RangeEnd? {
        switch self {
        case .day(let end): end
        case .month(let month): month.period(at: moment, in: zone).map { RangeEnd($0) }
        }
    }
}

extension RangeEnd {
    /// Refuses the ends of `--from` and `--to` in the wrong order, with the two in the right one.
    ///
    /// - Throws: `ValidationError`.
    package static func checkOrder(_ first: RangeEnd?, _ last: RangeEnd?) throws {
        guard let first, let last, !first.mayPrecede(last) else { return }
        throw ValidationError("--to \(last) is before --from \(first); did you mean --from \(last) --to \(first)?")
    }
}
