import Messages

/// A page that a bank may put in the way after any step: terms to accept, a locked account, an advertisement.
///
/// Declared once for the whole script. After each step that changed the page, the interruptions are looked for in
/// order; the first that shows either ends the run with its code and reason, or is got rid of by its own steps.
public struct Interruption: Sendable {
    public enum Response: Sendable {
        /// The run ends here; the person has to act.
        case fail(ErrorCode, reason: FailureReason)
        /// The script passes by, and goes on where it was.
        case pass([Step])
    }

    public var condition: Condition
    public var response: Response
    public var mark: Mark?

    public init(
        when condition: Condition, fail code: ErrorCode, reason: FailureReason, file: String = #fileID,
        line: Int = #line
    ) {
        self.condition = condition
        self.response = .fail(code, reason: reason)
        self.mark = Mark(file: file, line: line)
    }

    public init(
        when condition: Condition, file: String = #fileID, line: Int = #line, @StepBuilder pass steps: () -> [Step]
    ) {
        self.condition = condition
        self.response = .pass(steps())
        self.mark = Mark(file: file, line: line)
    }

    init(condition: Condition, response: Response, mark: Mark?) {
        self.condition = condition
        self.response = response
        self.mark = mark
    }
}
