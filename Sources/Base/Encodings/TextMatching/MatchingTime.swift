import Foundation

/// A time budget for regular expressions, shared by all texts that one question searches.
///
/// A pattern such as `(a+)+$` can take time exponential in the length of the text, and both patterns and texts can come
/// from a hostile page.
package struct MatchingTime {
    /// The limit for one text. The matcher's own limit is longer, and it reports only that it found nothing.
    private static let longest: Duration = .milliseconds(250)
    private var left: Duration

    package init(_ limit: Duration = .seconds(2)) {
        left = limit
    }

    /// Returns the first match in the text, or nil when nothing matches.
    ///
    /// - Throws: ``MatchingTimeExceeded`` once the budget is used up.
    package mutating func firstMatch(
        of expression: NSRegularExpression, in text: String
    ) throws(MatchingTimeExceeded) -> NSTextCheckingResult? {
        guard left > .zero else { throw MatchingTimeExceeded() }
        let begin = ContinuousClock.now
        let deadline = begin + min(left, Self.longest)
        var found: NSTextCheckingResult?
        var isLate = false
        let whole = NSRange(text.startIndex..., in: text)
        expression.enumerateMatches(in: text, options: .reportProgress, range: whole) { match, _, stop in
            found = match
            isLate = match == nil && ContinuousClock.now > deadline
            if match != nil || isLate { stop.pointee = true }
        }
        left -= ContinuousClock.now - begin
        if isLate { throw MatchingTimeExceeded() }
        return found
    }
}

/// A regular expression did not finish in time.
package struct MatchingTimeExceeded: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "the regular expression takes too long; write a simpler one" }
}
