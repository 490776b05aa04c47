/// A place in a script's text.
public struct Mark: Sendable, Hashable, CustomStringConvertible {
    /// The name of the file, for messages.
    public var file: String
    /// Counted from 1.
    public var line: Int
    /// Counted from 1; nil if the column is unknown, as in Swift.
    public var column: Int?

    public init(file: String, line: Int, column: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
    }

    public var description: String {
        if let column { "\(file):\(line):\(column)" } else { "\(file):\(line)" }
    }

    /// Returns the line of the text, and a line with a caret under the column; empty when the text has no such line.
    public func excerpt(of text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return [] }
        let shown = "\(line) | \(lines[line - 1].replacing("\t", with: " "))"
        guard let column else { return [shown] }
        let margin = String(repeating: " ", count: "\(line)".count)
        return [shown, "\(margin) | \(String(repeating: " ", count: max(0, column - 1)))^"]
    }
}
