import Foundation

/// A moment in ISO 8601, as every message has it: `2026-01-31T09:00:00.000Z`.
public struct Timestamp: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// Cut to milliseconds, so that writing and reading again gives the same moment.
    public let date: Date

    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        self.date = Date(timeIntervalSince1970: milliseconds / 1000)
    }

    private static let written = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Reads a date and time with `Z` or an offset, with or without a fraction of a second.
    public init?(_ text: String) {
        guard text.utf8.count <= 40, text.contains(where: { $0 == "T" || $0 == "t" }) else { return nil }
        let plain = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
        guard let date = (try? Self.written.parse(text)) ?? (try? plain.parse(text)) else { return nil }
        self.init(date)
    }

    public var description: String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
        var seconds = time_t(milliseconds / 1000)
        var fraction = milliseconds % 1000
        if fraction < 0 {
            fraction += 1000
            seconds -= 1
        }
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1,
            Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec), fraction)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.date < right.date }
}
