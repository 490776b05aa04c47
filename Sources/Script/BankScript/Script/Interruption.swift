import Messages

/// A page that a bank may show after any step: terms to accept, a locked account, an advertisement.
///
/// Declared once for the whole script. After each step that changed the page, the interruptions are checked in order.
/// The first one whose condition holds either ends the run with its code and reason, or runs its own steps to leave
/// the page.
public struct Interruption: Sendable {
    public enum Response: Sendable {
        /// Ends the run; the person has to act.
        case fail(ErrorCode, reason: FailureReason)
        /// Runs these steps, then continues the script where it was interrupted.
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
