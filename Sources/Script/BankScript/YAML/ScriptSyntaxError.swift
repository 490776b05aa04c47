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
    /// - Parameter text: the file's text.
    init(_ error: YamlError, in text: String, file: String) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let complaint = YAMLComplaint(context: context, problem: problem, mark: mark, text: text)
            self.init(
                complaint.message, at: Mark(file: file, line: complaint.line, column: complaint.column),
                hint: complaint.hint)
        case .duplicatedKeysInMapping(let keys, let context):
            let mark = Mark(file: file, line: context.mark.line, column: context.mark.column)
            self.init(
                "“\(keys.map { "\($0)" }.joined(separator: "”, “"))” is given twice", at: mark,
                hint: "remove one of them")
        default:
            self.init(
                "the file is not YAML: \(error)", at: Mark(file: file, line: 1),
                hint: "save it as plain UTF-8 text without control characters")
        }
    }
}
