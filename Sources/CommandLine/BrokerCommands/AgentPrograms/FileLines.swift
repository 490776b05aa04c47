/// The lines of a program's file, each with its own end, so that a change keeps the ends that its user's editor writes.
struct FileLines {
    struct Line: Hashable {
        /// The line without its end.
        var words: String
        /// Empty for a last line without one.
        var end: String

        var isBlank: Bool { words.allSatisfy { $0 == " " || $0 == "\t" } }
    }

    var lines: [Line] = []
    /// The end of the first line, for lines that are added.
    let end: String

    /// - Parameter ends: what ends a line in the file's form. `String` takes CR LF for one character.
    init(_ text: String, endingWith ends: Set<Character>) {
        var rest = Substring(text)
        while let place = rest.firstIndex(where: ends.contains) {
            lines.append(Line(words: String(rest[..<place]), end: String(rest[place])))
            rest = rest[rest.index(after: place)...]
        }
        if !rest.isEmpty { lines.append(Line(words: String(rest), end: "")) }
        end = lines.first.map(\.end).flatMap { $0.isEmpty ? nil : $0 } ?? "\n"
    }

    var text: String { lines.map { $0.words + $0.end }.joined() }

    /// Ends the last line, if it has no end.
    mutating func endLast() {
        if let last = lines.indices.last, lines[last].end.isEmpty { lines[last].end = end }
    }

    mutating func removeLastBlankLines() {
        while lines.last?.isBlank == true { lines.removeLast() }
    }

    /// Returns lines with the file's own end.
    func made(_ words: [String]) -> [Line] { words.map { Line(words: $0, end: end) } }
}
