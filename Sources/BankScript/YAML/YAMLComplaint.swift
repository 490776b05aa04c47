import Foundation
import Yams

/// A complaint of the YAML parser in a script author's words: what the parser saw, where, and what to write instead.
///
/// The parser is libyaml; the texts that this looks for are in its `scanner.c`, `parser.c` and `composer.c`.
struct YAMLComplaint {
    private(set) var message: String
    private(set) var hint: String?
    private(set) var line: Int
    private(set) var column: Int

    private let lines: [Substring]

    /// - Parameter text: the file that the parser read.
    init(context: YamlError.Context?, problem: String, mark: Yams.Mark, text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        message = problem
        line = mark.line
        column = mark.column
        if explainTab() { return }
        switch problem {
        case "did not find expected '-' indicator": explainList(context?.mark)
        case "did not find expected key": explainNames(context?.mark)
        case "mapping values are not allowed in this context": explainColon()
        case "did not find expected ',' or '}'": explainOpen("{", "}", context?.mark)
        case "did not find expected ',' or ']'": explainOpen("[", "]", context?.mark)
        case "found unexpected end of stream": explainQuote(context?.mark)
        case "could not find expected ':'": explainMissingColon(context?.mark)
        case "block sequence entries are not allowed in this context":
            say("a list item stands behind other words", "begin a new line for each “- ”, indented with spaces")
        case "found unknown escape character":
            say("a backslash in double quotes begins an escape", "use single quotes, or write the backslash twice")
        case "found undefined alias":
            say("“*” and “&” at the beginning of a text have a meaning of their own", quoted)
        case "found character that cannot start any token":
            say("“\(character)” cannot begin a text in YAML", quoted)
        case "did not find expected <document start>":
            say(
                "this line does not belong to the parts above it",
                "begin it in the same column as the other parts at its level, and a name with “:”")
        default:
            say("this cannot be read as YAML (\(problem))", "look at the indentation, the quotes and the brackets here")
        }
    }

    private mutating func say(_ message: String, _ hint: String) {
        self.message = message
        self.hint = hint
    }

    private mutating func move(to mark: Yams.Mark?) {
        guard let mark else { return }
        line = mark.line
        column = mark.column
    }

    private var shown: Substring { lines.indices.contains(line - 1) ? lines[line - 1] : "" }

    private var character: String {
        let rest = shown.dropFirst(column - 1)
        return rest.first.map(String.init) ?? ""
    }

    private let quoted = "put the whole text in quotes"

    /// A tab is what most complaints about columns come from, also when the parser names another reason.
    private mutating func explainTab() -> Bool {
        for number in [line, line - 1] where lines.indices.contains(number - 1) {
            let margin = lines[number - 1].prefix { $0 == " " || $0 == "\t" }
            guard let tab = margin.firstIndex(of: "\t") else { continue }
            line = number
            column = margin.distance(from: margin.startIndex, to: tab) + 1
            say("the line is indented with a tab", "indent with spaces")
            return true
        }
        return false
    }

    private mutating func explainList(_ list: Yams.Mark?) {
        let expected = (list?.column ?? 1) - 1
        let line = list.map { "line \($0.line)" } ?? "the list above"
        if shown.trimmingPrefix(while: { $0 == " " }).hasPrefix("-") {
            say(
                "this “-” stands in column \(column), but its list began in column \(expected + 1) (\(line))",
                "indent the line with \(Self.spaces(expected))")
        } else {
            let word = shown.drop { $0 == " " }.prefix { $0 != " " }
            say(
                "“\(word)” stands where a list item should begin: the list from \(line) has its “-” in column \(expected + 1)",
                "indent it with \(Self.spaces(expected + 2)) if it belongs to the item above; otherwise begin it with “- ”"
            )
        }
    }

    private mutating func explainNames(_ names: Yams.Mark?) {
        let expected = (names?.column ?? 1) - 1
        // After a quoted text, a rest of the line has no place.
        let before = shown.prefix(column - 1)
        if before.contains("\"") || before.contains("'") {
            return say("there is text behind the closing quotation mark", "put the whole text in one pair of quotes")
        }
        let line = names.map { " (line \($0.line))" } ?? ""
        say(
            "this stands in column \(column), but the names at its level began in column \(expected + 1)\(line)",
            "indent the line with \(Self.spaces(expected))")
    }

    private mutating func explainColon() {
        let before = shown.prefix(column - 1)
        let name = before.drop { " -".contains($0) }.prefix { $0 != ":" }
        guard before.contains(": ") else {
            return say(
                "this line is indented more than the line above, which already has a value",
                "begin it in the same column as the line above")
        }
        let rest = shown.drop { $0 != ":" }.dropFirst().drop { $0 == " " }.trimmingSuffix(while: \.isWhitespace)
        say("a text with a colon needs quotes", "put the text in quotes: \(name): \"\(rest)\"")
    }

    private mutating func explainOpen(_ open: String, _ close: String, _ start: Yams.Mark?) {
        let seen = line == start?.line ? "in column \(column)" : "until line \(line)"
        move(to: start)
        say(
            "this “\(open)” is not closed: there is neither “,” nor “\(close)” \(seen)",
            "write “\(close)” at its end, and quotes around a text that holds any of , [ ] { }")
    }

    private mutating func explainQuote(_ start: Yams.Mark?) {
        move(to: start)
        say("the quotation mark that opens here is never closed", "write the same mark at the end of the text")
    }

    private mutating func explainMissingColon(_ start: Yams.Mark?) {
        move(to: start)
        let word = shown.drop { " -".contains($0) }.trimmingSuffix(while: \.isWhitespace)
        let name = word.prefix { $0 != " " }
        let rest = word.dropFirst(name.count).drop { $0 == " " }
        say(
            "“\(word.prefix(40))” is neither a name with a value nor a list item",
            rest.isEmpty ? "write for example \(name): value" : "write for example \(name): \(rest)")
    }

    private static func spaces(_ count: Int) -> String {
        count == 0 ? "no spaces" : count == 1 ? "1 space" : "\(count) spaces"
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
        var copy = self
        while let last = copy.last, isTrimmed(last) { copy.removeLast() }
        return copy
    }
}
