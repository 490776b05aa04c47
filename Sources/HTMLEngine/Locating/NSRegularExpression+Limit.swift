import Foundation

extension NSRegularExpression {
    /// How long one text may take: a pattern such as `(a+)+$` takes time exponential in it.
    private static let longest: Duration = .milliseconds(250)

    /// Whether it matches somewhere in the text; nil when that is not found out in time.
    func matches(_ text: String) -> Bool? {
        let deadline = ContinuousClock.now + Self.longest
        var isFound: Bool? = false
        let whole = NSRange(text.startIndex..., in: text)
        enumerateMatches(in: text, options: .reportProgress, range: whole) { match, _, stop in
            if match != nil { isFound = true }
            let isLate = match == nil && ContinuousClock.now > deadline
            if isLate { isFound = nil }
            if match != nil || isLate { stop.pointee = true }
        }
        return isFound
    }
}
