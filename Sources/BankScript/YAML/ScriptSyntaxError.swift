import Yams

/// A script's text that cannot be read: where, what was seen, what to write instead.
public struct ScriptSyntaxError: Error, Sendable, CustomStringConvertible {
    public let mark: Mark
    public let message: String
    /// What to write instead.
    public let hint: String?

    public init(_ message: String, at mark: Mark, hint: String? = nil) {
        self.message = message
        self.mark = mark
        self.hint = hint
    }

    public var description: String {
        "\(mark): \(message)" + (hint.map { "; \($0)" } ?? "")
    }
}

extension ScriptSyntaxError {
    init(_ error: YamlError, file: String) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(problem, at: Mark(file: file, line: mark.line, column: mark.column))
        case .duplicatedKeysInMapping(let keys, let context):
            let mark = Mark(file: file, line: context.mark.line, column: context.mark.column)
            self.init("given twice: \(keys.map { "\($0)" }.joined(separator: ", "))", at: mark)
        default:
            self.init("the file is not YAML: \(error)", at: Mark(file: file, line: 1))
        }
    }
}

/// The nearest of some words to one that was not understood.
package func nearest(to word: String, among words: some Sequence<String>) -> String? {
    let ranked = words.map { ($0, editDistance(word.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
    guard let (best, distance) = ranked, distance <= max(2, word.count / 3) else { return nil }
    return best
}

/// Levenshtein's distance, in characters.
package func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            let above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
            diagonal = above
        }
    }
    return row[right.count]
}
