import Foundation

/// The header `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The longest time that a service can ask for, in seconds.
    private static let most = 86_400

    /// - Returns: nil for a value of another form.
    static func seconds(_ value: String?, at now: Date) -> Int? {
        guard let value else { return nil }
        if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(value) { return min(seconds, most) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let date = format.date(from: value) else { return nil }
        return min(max(0, Int(date.timeIntervalSince(now).rounded(.up))), most)
    }
}
