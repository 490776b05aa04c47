/// A name of what the broker has for a phone at the moment, in the answer to `GET /phone/requests/pending`. It is another
/// one as soon as a request or an offer is new, or moves on.
///
/// For a minute at least the phone may wait with it for the next change without its token, so that its memory holds no
/// token outside the locked part while it waits.
public struct ChangeMark: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// - Parameter ticket: letters and digits, at most 40.
    package init(ticket: String, count: UInt64) { description = "\(ticket)-\(count)" }

    /// - Returns: nil if it is not 1 to 64 letters, digits, hyphens, dots or underscores of ASCII, which need no escape
    ///   in a query (RFC 3986, section 2.3).
    public init?(_ description: String) {
        guard description.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil else { return nil }
        self.description = description
    }

    /// The ticket and the count; nil for a mark that was not made of them.
    package var parts: (ticket: String, count: UInt64)? {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = UInt64(parts[1]) else { return nil }
        return (String(parts[0]), count)
    }
}
