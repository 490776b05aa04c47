import Authoring
import BankScript
import Messages
import MockBank

/// The expected outcome of a script in each of the mock bank's scenarios, and against recordings of its own bank.
public struct ScriptMatrix: Sendable {
    public struct Row: Sendable {
        /// The row's name, unique in the matrix.
        public var name: String
        /// The mock bank's behaviour; nil for a row that runs against a recording.
        public var scenario: Scenario?
        /// The recording to run against; nil for a row that runs against the mock bank.
        public var recording: HTTPArchive?
        public var script: BankScript
        /// The script's text, to show the lines that a failure points at.
        public var source: String?
        public var parameters: [String: ParameterValue]
        public var person: Person
        public var expected: Expectation
        /// The expected outcome in a browser, where it is another.
        public var expectedInBrowser: Expectation?
        public var mark: Mark
    }

    /// The behaviour of the person who is asked for a code.
    public enum Person: String, Sendable, Hashable, CaseIterable {
        /// Answers with the code that the bank sent, or approves in its app.
        case present
        /// Never answers, so that the time runs out.
        case silent
    }

    public enum Expectation: Sendable, Hashable, CustomStringConvertible {
        /// The requested statement as a PDF.
        case statement
        /// - Parameter words: a text that the bank's message must contain.
        case failure(ErrorCode, FailureReason?, words: String?)

        public var description: String {
            switch self {
            case .statement: "statement"
            case .failure(let code, let reason, _): code.rawValue + (reason.map { " (\($0.rawValue))" } ?? "")
            }
        }
    }

    public var rows: [Row]

    public init(_ rows: [Row]) {
        self.rows = rows
    }
}
