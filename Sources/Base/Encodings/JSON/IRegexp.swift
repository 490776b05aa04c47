import Foundation

/// An interoperable regular expression (RFC 9485), the argument of JSONPath's `match()` and `search()`.
struct IRegexp: Sendable {
    /// RFC 9485 leaves limits to the implementation; a longer pattern or text matches nothing.
    private static let longestPattern = 1_000
    private static let longestText = 100_000

    private let whole: NSRegularExpression
    private let anywhere: NSRegularExpression

    /// Returns nil for an invalid pattern.
    init?(_ pattern: String) {
        guard pattern.utf16.count <= Self.longestPattern, let translated = Self.translated(pattern),
            let whole = try? NSRegularExpression(pattern: "\\A(?:\(translated))\\z"),
            let anywhere = try? NSRegularExpression(pattern: translated)
        else { return nil }
        self.whole = whole
        self.anywhere = anywhere
    }

    func matches(_ text: String, within time: inout MatchingTime) throws(MatchingTimeExceeded) -> Bool {
        try Self.find(whole, in: text, &time)
    }

    func isFound(in text: String, within time: inout MatchingTime) throws(MatchingTimeExceeded) -> Bool {
        try Self.find(anywhere, in: text, &time)
    }

    private static func find(
        _ expression: NSRegularExpression, in text: String, _ time: inout MatchingTime
    ) throws(MatchingTimeExceeded) -> Bool {
        guard text.utf16.count <= longestText else { return false }
        return try time.firstMatch(of: expression, in: text) != nil
    }

    /// The same expression for ICU (RFC 9485, section 5.4): “.” is any character but line feed and carriage return, “^”
    /// and “$” are themselves, and “(?…)” extensions do not exist.
    private static func translated(_ pattern: String) -> String? {
        var result = ""
        var isInClass = false
        var isEscaped = false
        var previous: Character?
        for character in pattern {
            defer { previous = isEscaped ? nil : character }
            if isEscaped {
                result.append(character)
                isEscaped = false
                continue
            }
            switch character {
            case "\\":
                isEscaped = true
                result.append(character)
            case "[" where isInClass: return nil
            case "[":
                isInClass = true
                result.append(character)
            case "]":
                isInClass = false
                result.append(character)
            case "." where !isInClass: result += "[^\\n\\r]"
            case "^" where !isInClass, "$" where !isInClass: result += "\\\(character)"
            case "?" where !isInClass && (previous == "(" || previous == "*" || previous == "+" || previous == "?"):
                return nil
            case "&" where isInClass: result += "\\&"
            default: result.append(character)
            }
        }
        return isEscaped || isInClass ? nil : result
    }
}
