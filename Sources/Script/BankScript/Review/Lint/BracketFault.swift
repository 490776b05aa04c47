/// The first bracket or quote of an expression that has no partner: the most common mistake in selectors, paths and
/// regular expressions, named so that an author sees which character is meant.
enum BracketFault: Equatable, CustomStringConvertible {
    /// A bracket and its place, in characters from 0.
    case unclosed(Character, at: Int)
    case unopened(Character, at: Int)
    case unclosedQuote

    var description: String {
        switch self {
        case .unclosed(let bracket, _): "the “\(bracket)” is not closed"
        case .unopened(let bracket, _): "the “\(bracket)” has no “\(Self.partner(of: bracket))” before it"
        case .unclosedQuote: "a quote is not closed"
        }
    }

    /// Returns how to repair a regular expression with this fault. A bracket after a backslash stands for itself there.
    func remedy(in expression: String) -> String {
        switch self {
        case .unclosed("[", let place):
            "\(plain("[", at: place, in: expression)); otherwise close the set, for example [a-z]"
        case .unclosed(let bracket, let place):
            "write “\(Self.partner(of: bracket))” where the group ends; \(plain(bracket, at: place, in: expression))"
        case .unopened(let bracket, let place):
            "write “\(Self.partner(of: bracket))” before it, or remove it; \(plain(bracket, at: place, in: expression))"
        case .unclosedQuote: "write the same quote at the end of the text"
        }
    }

    private func plain(_ bracket: Character, at place: Int, in expression: String) -> String {
        let escaped = "\(expression.prefix(place))\\\(expression.dropFirst(place))"
        return "if the text on the page has a “\(bracket)”, write "
            + (escaped.contains("'") ? "\\\(bracket) for it" : "'\(escaped)' in single quotes")
    }

    private static func partner(of bracket: Character) -> Character {
        switch bracket {
        case "(": ")"
        case ")": "("
        case "[": "]"
        default: "["
        }
    }

    /// The fault of a selector or a path, in which quotes enclose plain text.
    init?(ofPath path: String) {
        var open: [(bracket: Character, place: Int)] = []
        var quote: Character?
        for (place, character) in path.enumerated() {
            if let inside = quote {
                if character == inside { quote = nil }
                continue
            }
            switch character {
            case "'", "\"": quote = character
            case "[", "(": open.append((character, place))
            case "]", ")":
                guard open.popLast()?.bracket == Self.partner(of: character) else {
                    self = .unopened(character, at: place)
                    return
                }
            default: break
            }
        }
        guard quote == nil else {
            self = .unclosedQuote
            return
        }
        guard let last = open.last else { return nil }
        self = .unclosed(last.bracket, at: last.place)
    }

    /// The fault of a regular expression, in which a backslash makes the next character plain and `[…]` is a set.
    init?(ofRegex pattern: String) {
        var open: [(bracket: Character, place: Int)] = []
        var isPlain = false
        for (place, character) in pattern.enumerated() {
            if isPlain {
                isPlain = false
            } else if character == "\\" {
                isPlain = true
            } else if open.last?.bracket == "[" {
                if character == "]" { open.removeLast() }
            } else if character == "[" || character == "(" {
                open.append((character, place))
            } else if character == ")", open.popLast() == nil {
                self = .unopened(character, at: place)
                return
            }
        }
        guard let last = open.last else { return nil }
        self = .unclosed(last.bracket, at: last.place)
    }
}
