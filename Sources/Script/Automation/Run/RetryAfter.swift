import Clocks
import Foundation

/// The time that a server asks to wait (RFC 9110, section 10.2.3).
struct RetryAfter: Sendable, Hashable {
    /// A run waits no longer than this for a server.
    static let longest: Duration = .seconds(30)

    let duration: Duration

    /// - Parameter now: what a date in the field is compared with.
    init?(_ headers: [(name: String, value: String)], now: Date = Date()) {
        guard let text = headers.last(where: { $0.name.lowercased() == "retry-after" })?.value else { return nil }
        self.init(text, now: now)
    }

    /// - Parameter text: the field's value, a number of seconds or a date.
    init?(_ text: String, now: Date = Date()) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = Int64(text), (0...31_536_000).contains(seconds) {
            duration = .seconds(seconds)
            return
        }
        guard let date = Self.date(text) else { return nil }
        duration = .seconds(max(0, date.timeIntervalSince(now).rounded(.up)))
    }

    /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (section 5.6.7).
    private static func date(_ text: String) -> Date? {
        let reader = DateFormatter()
        reader.locale = Locale(identifier: "en_US_POSIX")
        reader.timeZone = TimeZone(secondsFromGMT: 0)
        reader.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return reader.date(from: text)
    }

    /// The duration in words, e.g. “2 h”.
    var words: String { duration.inWords }
}
