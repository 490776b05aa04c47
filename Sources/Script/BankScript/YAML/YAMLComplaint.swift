import Encodings
import Foundation
import Yams

/// A complaint of the YAML parser in a script author's words: what the parser saw, where, and what to write instead.
///
/// The parser is libyaml; the texts that this looks for are in its `scanner.c`, `parser.c` and `composer.c`.
struct YAMLComplaint {
    private(set) var message: String
    private(set) var hint: String?
    private(set) var line = 1
    private(set) var column = 1

    private let lines: [Substring]

    /// - Parameter text: the file that the parser read.
    init(context: YamlError.Context?, problem: String, mark: Yams.Mark, text: String) {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        message = problem
        place(at: mark)
        if explainTab() || explainInvisible() || explainPlaceholder() { return }
        switch problem {
        case "did not find expected '-' indicator": explainList(context?.mark)
        case "did not find expected key": explainNames(context?.mark)
        case "mapping values are not allowed in this context": explainColon()
        case "did not find expected ',' or '}'": explainOpen("{", "}", context?.mark)
        case "did not find expected ',' or ']'": explainOpen("[", "]", context?.mark)
        case "did not find expected node content": explainMissingValue()
        case "found unexpected end of stream": explainQuote(context?.mark)
        case "could not find expected ':'": explainMissingColon(context?.mark)
        case "block sequence entries are not allowed in this context":
            let item = String(shown.dropFirst(column - 1).trimmingSuffix(while: \.isWhitespace))
            let depth = lines.dropFirst(line).first(where: Self.isItem).map(Self.depth) ?? 2
            say(
                "“\(item)” is not at the beginning of its line",
                "begin a new line for it, indented with \(Self.spaces(depth))")
        case "found unknown escape character":
            say(
                "“\(shown.dropFirst(column - 1).prefix(2))” in double quotes is not a character that YAML knows",
                "write the text in single quotes")
        case "found undefined alias":
            say("“*” at the beginning of a text has a meaning of its own in YAML", quoted)
        case "found duplicate anchor", "did not find expected alphabetic or numeric character":
            say("“\(character)” at the beginning of a text has a meaning of its own in YAML", quoted)
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
        place(at: mark)
    }

    /// The parser counts Unicode scalars, an author sees characters.
    private mutating func place(at mark: Yams.Mark) {
        line = mark.line
        column = mark.column
        guard lines.indices.contains(line - 1) else { return }
        let before = lines[line - 1].unicodeScalars.prefix(max(0, mark.column - 1))
        column = String(String.UnicodeScalarView(before)).count + 1
    }

    private var shown: Substring { lines.indices.contains(line - 1) ? lines[line - 1] : "" }

    private var character: String {
        let rest = shown.dropFirst(column - 1)
        return rest.first.map(String.init) ?? ""
    }

    /// The line's value in quotes, if the line is a name with one value.
    private var quoted: String {
        let words = shown.drop { " -".contains($0) }.trimmingSuffix(while: \.isWhitespace)
        let value = words.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
        guard !value.isEmpty, !value.contains("\""), value.first.map({ !"{[".contains($0) }) ?? false else {
            return "put the whole text in quotes"
        }
        return "put the text in quotes: \(words.prefix { $0 != ":" }): \"\(value)\""
    }

    /// `{{` begins a mapping in YAML, so a text that begins with a placeholder needs quotes.
    private mutating func explainPlaceholder() -> Bool {
        guard lines.indices.contains(line - 1), let colon = shown.firstRange(of: ": {{") else { return false }
        let name = shown[..<colon.lowerBound].drop { " -{".contains($0) }
        let value = shown[colon.upperBound...].trimmingSuffix(while: \.isWhitespace)
        guard !name.contains(where: "\"'{".contains) else { return false }
        column = shown.distance(from: shown.startIndex, to: colon.lowerBound) + 3
        say("a text that begins with “{{” needs quotes", "put the text in quotes: \(name): \"{{\(value)\"")
        return true
    }

    /// Finds a comment that hides the closing bracket: `{ css: #next }`.
    private mutating func explainComment() -> Bool {
        guard let match = shown.firstMatch(of: /: +(#[^ ,}\]]+)/) else { return false }
        let before = shown[..<match.1.startIndex]
        guard Self.isOutsideQuotes(before) else { return false }
        column = before.count + 1
        say("“ #” begins a comment, so the rest of the line is not read", "put the text in quotes: \"\(match.1)\"")
        return true
    }

    /// The number of spaces at the beginning of a line.
    private static func depth(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }

    private static func isItem(_ line: Substring) -> Bool { line.drop { $0 == " " }.hasPrefix("- ") }

    private static func isOutsideQuotes(_ before: Substring) -> Bool {
        before.count { $0 == "\"" }.isMultiple(of: 2) && before.count { $0 == "'" }.isMultiple(of: 2)
    }

    private mutating func explainCurlyQuotes() -> Bool {
        guard let place = shown.firstIndex(where: "“”„".contains), Self.isOutsideQuotes(shown[..<place]) else {
            return false
        }
        column = shown.distance(from: shown.startIndex, to: place) + 1
        say("“ and ” are not quotes in YAML", "write \" instead")
        return true
    }

    /// A tab is what most complaints about columns come from, also when the parser names another reason.
    private mutating func explainTab() -> Bool {
        for number in [line, line - 1] where lines.indices.contains(number - 1) {
            let margin = lines[number - 1].prefix { $0 == " " || $0 == "\t" }
            guard let tab = margin.firstIndex(of: "\t") else { continue }
            line = number
            column = margin.distance(from: margin.startIndex, to: tab) + 1
            let above = lines[..<(number - 1)].last { !$0.allSatisfy(\.isWhitespace) && !$0.hasPrefix("\t") }
            let depth = above.map(Self.depth) ?? 0
            say(
                "the line is indented with a tab",
                depth == 0
                    ? "indent it with spaces"
                    : "indent it with \(Self.spaces(depth)), as the line before it, or with more")
            return true
        }
        return false
    }

    /// A no-break space, or another space that is not YAML's, comes with text that was copied from a page.
    private mutating func explainInvisible() -> Bool {
        for number in [line, line - 1] where lines.indices.contains(number - 1) {
            let margin = lines[number - 1].prefix { $0.isWhitespace || Self.isInvisible($0) }
            guard let strange = margin.firstIndex(where: { $0 != " " }) else { continue }
            line = number
            column = margin.distance(from: margin.startIndex, to: strange) + 1
            let scalar = margin[strange].unicodeScalars.first
            let kind = scalar == "\u{A0}" ? "a no-break space" : "an invisible character"
            say(
                "the line begins with \(kind) (\(scalar?.name ?? ""))",
                "delete the line's indentation, and type it as spaces")
            return true
        }
        return false
    }

    private static func isInvisible(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .format }
    }

    private mutating func explainList(_ list: Yams.Mark?) {
        let expected = (list?.column ?? 1) - 1
        let line = list.map { "the list from line \($0.line)" } ?? "the list above"
        if shown.trimmingPrefix(while: { $0 == " " }).hasPrefix("-") {
            sayWrongItem(listAt: list?.line ?? 1, depth: expected)
        } else {
            let word = shown.drop { $0 == " " }.prefix { $0 != " " }
            let indent = "indent it with \(Self.spaces(expected + 2))"
            // These never begin a step.
            let isPart = StepList.standard.companionNames.contains(String(word.prefix { $0 != ":" }))
            say(
                "“\(word)” is in column \(column), where \(line) has its “- ”",
                isPart ? indent : indent + " if it belongs to the item above; otherwise begin it with “- ”")
        }
    }

    private mutating func explainNames(_ names: Yams.Mark?) {
        let expected = (names?.column ?? 1) - 1
        if Self.isItem(shown), let names, lines.indices.contains(names.line - 1) {
            let first = lines[names.line - 1].drop { $0 == " " }.trimmingSuffix(while: \.isWhitespace)
            // The item above, if there is one, is in the list that this one is to be in.
            let above = (min(names.line, line)..<line).last { !lines[$0 - 1].allSatisfy(\.isWhitespace) } ?? names.line
            if Self.isItem(lines[above - 1]) { return sayWrongItem(listAt: above, depth: Self.depth(lines[above - 1])) }
            let item = line
            move(to: names)
            return say(
                "line \(line) begins without “- ”, but line \(item) begins with it", "write “- \(first)”")
        }
        // After a quoted text, a rest of the line has no place.
        let before = shown.prefix(column - 1)
        if before.contains("\"") || before.contains("'") {
            return say("there is text after the closing quotation mark", "put the whole text in one pair of quotes")
        }
        let word = shown.drop { $0 == " " }.prefix { $0 != " " }
        let first = names.flatMap { mark in
            lines.indices.contains(mark.line - 1)
                ? " such as “\(lines[mark.line - 1].drop { " -".contains($0) }.prefix { $0 != " " })” (line \(mark.line))"
                : nil
        }
        say(
            "“\(word)” is in column \(column), but names\(first ?? " at its level") are in column \(expected + 1)",
            expected == 0 ? "remove the spaces before it" : "indent the line with \(Self.spaces(expected))")
    }

    /// Says of an item of a list by how many spaces it is off.
    private mutating func sayWrongItem(listAt line: Int, depth: Int) {
        let own = Self.depth(shown)
        say(
            "this “-” is in column \(own + 1), but its list is in column \(depth + 1) (line \(line))",
            own > depth ? "remove \(Self.spaces(own - depth)) before it" : "add \(Self.spaces(depth - own)) before it")
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
        let end = line == start?.line ? nil : line
        let found = character
        let place = column
        move(to: start)
        if explainComment() || explainCurlyQuotes() { return }
        let quotes = "quotes around a text that holds any of : , [ ] { }"
        if let end {
            say(
                "this “\(open)” is not closed before line \(end)",
                "write “\(close)” after its last part, and \(quotes)")
        } else if found == "}" || found == "]" {
            say(
                "this “\(open)” is not closed before the “\(found)” in column \(place)",
                "write “\(close)” after its last part, and \(quotes)")
        } else if found == ":" {
            column = place
            explainSecondColon()
        } else {
            say("before column \(place), a “,” or “\(close)” is missing", "put “,” between the parts, and \(quotes)")
        }
    }

    /// `{ Type: First Second: third }`: the comma before a name is missing, or the quotes around a text with a colon.
    private mutating func explainSecondColon() {
        let colon = shown.index(shown.startIndex, offsetBy: column - 1)
        let begin = shown[..<colon].lastIndex { "{,[".contains($0) }.map(shown.index(after:)) ?? shown.startIndex
        let end = shown[colon...].firstIndex { "},]".contains($0) } ?? shown.endIndex
        let part = shown[begin..<end].drop { $0 == " " }.trimmingSuffix(while: \.isWhitespace)
        let name = part.prefix { $0 != ":" }
        let text = part.dropFirst(name.count + 1).drop { $0 == " " }
        let word = shown[begin..<colon].split(separator: " ").last ?? ""
        let before = shown[begin..<colon].dropLast(word.count).trimmingSuffix(while: \.isWhitespace).drop { $0 == " " }
        say(
            "this value has a second “:”: “\(part)”",
            "if “\(word)” is the name of the next part, put a comma before it: "
                + "\(before), \(word)\(shown[colon..<end].trimmingSuffix(while: \.isWhitespace)); "
                + "if it belongs to the text, put the text in quotes: \(name): \"\(text)\"")
    }

    private mutating func explainMissingValue() {
        for number in [line, line - 1] where lines.indices.contains(number - 1) {
            let seen = (line, column)
            (line, column) = (number, 1)
            if explainComment() { return }
            (line, column) = seen
        }
        say("a value is missing before this", "write the value, or remove the name or the comma before it")
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
        count == 0 ? "no spaces" : count.counted("space")
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
        var copy = self
        while let last = copy.last, isTrimmed(last) { copy.removeLast() }
        return copy
    }
}
