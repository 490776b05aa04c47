/// Lines of a limited width, broken between words.
package enum LineWrapping {
    /// Puts words into lines.
    ///
    /// - Parameters:
    ///   - width: the most columns of a line, with its indent.
    ///   - indent: begins each line but the first.
    ///   - breaksWords: true to break a word that is longer than a line; else it has a line of its own.
    /// - Returns: at least one line, which is empty without words.
    package static func lines(
        of words: [some StringProtocol], width: Int, indent: String = "", breaksWords: Bool
    ) -> [String] {
        var lines: [String] = []
        var (line, isEmpty) = ("", true)
        func end() {
            lines.append(line)
            (line, isEmpty) = (indent, true)
        }
        for word in words {
            if !isEmpty {
                guard line.columns + 1 + word.columns > width else {
                    line += " " + word
                    continue
                }
                end()
            }
            var rest = Substring(word)
            while breaksWords, !rest.isEmpty, line.columns + rest.columns > width {
                var part = rest.prefix(columns: width - line.columns)
                // A line has one character at least, also one that is too wide for it.
                if part.isEmpty { part = rest.prefix(1) }
                line += part
                rest = rest.dropFirst(part.count)
                end()
            }
            line += rest
            isEmpty = rest.isEmpty
        }
        return isEmpty && !lines.isEmpty ? lines : lines + [line]
    }
}
