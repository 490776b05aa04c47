import Foundation

/// How long regular expressions may take over one question, all of its texts together.
///
/// A pattern such as `(a+)+$` takes time exponential in a text's length, and neither a page's patterns nor its texts are
/// ours.
package struct MatchingTime {
    /// For one text. The matcher itself gives up later than that, and says only that it found nothing.
    private static let longest: Duration = .milliseconds(250)
    private var left: Duration

    package init(_ limit: Duration = .seconds(2)) {
        left = limit
    }

    /// The first place in the text that matches; nil when there is none.
    ///
    /// - Throws: ``MatchingTimeExceeded``, once the time is over.
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

/// An expression that did not come to an end in time.
package struct MatchingTimeExceeded: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "the expression takes too long; write it more plainly" }
}
