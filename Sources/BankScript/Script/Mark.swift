/// A place in a script's text.
public struct Mark: Sendable, Hashable, CustomStringConvertible {
    /// File name as the person knows it.
    public var file: String
    /// Counted from 1.
    public var line: Int
    /// Counted from 1; nil where the language does not tell.
    public var column: Int?

    public init(file: String, line: Int, column: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
    }

    public var description: String {
        if let column { "\(file):\(line):\(column)" } else { "\(file):\(line)" }
    }
}
