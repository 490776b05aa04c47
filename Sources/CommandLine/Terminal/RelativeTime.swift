import Foundation

extension Date {
    /// The time as a person says it: `just now`, `5 min ago`, `3 h ago`, `2 days ago`; a date after a month.
    package func ago(at now: Date = Date()) -> String {
        let seconds = now.timeIntervalSince(self)
        switch seconds {
        // Clocks of two machines differ a little.
        case ..<60: return "just now"
        case ..<3600: return "\(Int(seconds / 60)) min ago"
        case ..<86_400: return "\(Int(seconds / 3600)) h ago"
        case ..<(2 * 86_400): return "1 day ago"
        case ..<(31 * 86_400): return "\(Int(seconds / 86_400)) days ago"
        default: return formatted(.iso8601.year().month().day())
        }
    }

    /// The time as a person says it of what is to come: `now`, `in 5 min`, `in 3 h`, `in 2 days`; a date after a month.
    package func ahead(of now: Date) -> String {
        let seconds = timeIntervalSince(now)
        switch seconds {
        case ..<60: return "now"
        case ..<3600: return "in \(Int(seconds / 60)) min"
        case ..<86_400: return "in \(Int(seconds / 3600)) h"
        case ..<(2 * 86_400): return "in 1 day"
        case ..<(31 * 86_400): return "in \(Int(seconds / 86_400)) days"
        default: return formatted(.iso8601.year().month().day())
        }
    }
}
