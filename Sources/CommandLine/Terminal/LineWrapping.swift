/// Lines of a limited width, broken between words.
package enum LineWrapping {
    /// Puts words into lines.
    ///
    /// - Parameters:
    ///   - width: the most characters of a line, with its indent.
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
                guard line.count + 1 + word.count > width else {
                    line += " " + word
                    continue
                }
                end()
            }
            var rest = Substring(word)
            while breaksWords, !rest.isEmpty, line.count + rest.count > width {
                let room = max(1, width - line.count)
                line += rest.prefix(room)
                rest = rest.dropFirst(room)
                end()
            }
            line += rest
            isEmpty = rest.isEmpty
        }
        return isEmpty && !lines.isEmpty ? lines : lines + [line]
    }
}
