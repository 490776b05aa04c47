/// The usage line of a help text, which the argument parser does not wrap.
package enum UsageText {
    /// Breaks usage lines between their options, so that a terminal does not break them within one.
    ///
    /// - Parameter columns: the most characters of a line; one option may be longer.
    package static func wrapped(_ text: String, columns: Int = 80) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let isUsage = line.lowercased().hasPrefix("usage: ")
            guard isUsage, line.count > columns else { return String(line) }
            let indent = String(repeating: " ", count: "usage: ".count)
            return LineWrapping.lines(of: parts(of: line), width: columns, indent: indent, breaksWords: false)
                .joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Adds the exit statuses to a help page that does not tell its own.
    package static func tellingStatus(_ text: String) -> String {
        guard text.contains("USAGE: "), !text.contains("Exit status:") else { return text }
        return text + "\n\nExit status: 0 done, 1 not done, 2 a wrong command line."
    }

    /// Returns the words of a line; an option and its value in brackets are one.
    private static func parts(of line: Substring) -> [String] {
        var parts: [String] = []
        var depth = 0
        for word in line.split(separator: " ") {
            if depth > 0 { parts[parts.count - 1] += " " + word } else { parts.append(String(word)) }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        return parts
    }
}
