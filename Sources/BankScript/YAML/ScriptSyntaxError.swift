import Yams

/// A script's text that cannot be read. It says where, what was found, and what to write instead.
public struct ScriptSyntaxError: Error, Sendable, CustomStringConvertible {
    public let mark: Mark
    public let message: String
    /// A suggestion for what to write instead.
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
