import Foundation

/// A moment in the ISO 8601 form that every message uses: `2026-01-31T09:00:00.000Z`.
public struct Timestamp: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The moment, truncated to milliseconds so that writing and reading it gives the same value.
    public let date: Date

    public init(_ date: Date) {
        let exact = date.timeIntervalSince1970 * 1000
        // Do not truncate a whole millisecond that a double represents slightly too low.
        let milliseconds = (exact.rounded() - exact).magnitude < 1e-3 ? exact.rounded() : exact.rounded(.down)
        self.date = Date(timeIntervalSince1970: milliseconds / 1000)
    }

    /// Reads a date and time with `Z` or an offset, with or without a fraction of a second (RFC 3339, section 5.6;
    /// ISO 8601's offset without a colon too).
    public init?(_ text: String) {
        guard text.utf8.count <= 40 else { return nil }
        var reader = DigitReader(Array(text.utf8))
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("Tt"), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), reader.take(":"), let second = reader.number(2),
            let milliseconds = reader.fraction(), let offset = reader.offset(), reader.isAtEnd,
            (1...12).contains(month), (1...MonthYear.days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            // Treat a leap second as the first second of the next minute, like clocks without leap seconds.
            second < 60 || (second == 60 && minute == 59)
        else { return nil }
        let seconds = Self.daysSinceEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(Date(timeIntervalSince1970: Double(seconds * 1000 + milliseconds) / 1000))
    }

    /// Counts in the proleptic Gregorian calendar. Years start in March so that the leap day comes last.
    static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let inYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let era = year >= 0 ? year / 400 : (year - 399) / 400
        let ofEra = year - era * 400
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + inYear - 719_468
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
        // Foundation's format styles take ten times as long, and a request has a dozen timestamps.
        var text: [UInt8] = []
        text.reserveCapacity(24)
        let fields: [(Int, Int, StaticString)] = [
            (Int(parts.tm_year) + 1900, 4, "-"), (Int(parts.tm_mon) + 1, 2, "-"), (Int(parts.tm_mday), 2, "T"),
            (Int(parts.tm_hour), 2, ":"), (Int(parts.tm_min), 2, ":"), (Int(parts.tm_sec), 2, "."), (fraction, 3, "Z"),
        ]
        for (number, width, mark) in fields {
            let digits = String(number)
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, width - digits.utf8.count)))
            text.append(contentsOf: digits.utf8)
            text.append(mark.utf8Start.pointee)
        }
        return String(decoding: text, as: UTF8.self)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.date < right.date }
}

/// A reader for the parts of a timestamp in ASCII.
private struct DigitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    private var digit: Int? {
        guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
        return Int(bytes[position] - 0x30)
    }

    mutating func number(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit else { return nil }
            number = number * 10 + digit
            position += 1
        }
        return number
    }

    mutating func take(_ choices: StaticString) -> Bool {
        guard position < bytes.count, choices.withUTF8Buffer({ $0.contains(bytes[position]) }) else { return false }
        position += 1
        return true
    }

    /// Reads a fraction of a second as whole milliseconds: 0 if it is absent, nil for a point without a digit.
    mutating func fraction() -> Int? {
        guard take(".") else { return 0 }
        guard digit != nil else { return nil }
        var milliseconds = 0
        var weight = 100
        while let digit {
            milliseconds += digit * weight
            weight /= 10
            position += 1
        }
        return milliseconds
    }

    /// Reads an offset, in seconds east of UTC.
    mutating func offset() -> Int? {
        if take("Zz") { return 0 }
        let isWest = position < bytes.count && bytes[position] == UInt8(ascii: "-")
        guard take("+-"), let hours = number(2) else { return nil }
        _ = take(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (hours * 60 + minutes) * (isWest ? -60 : 60)
    }
}
