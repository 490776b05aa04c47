import BankScript
import Messages
import MockBank

/// What a script is expected to do at each of the mock bank's scenarios.
public struct ScriptMatrix: Sendable {
    public struct Row: Sendable {
        /// Unlike every other row's.
        public var name: String
        public var scenario: Scenario
        public var script: BankScript
        /// The script's text, for the lines that a failure points at.
        public var source: String?
        public var parameters: [String: Int]
        public var person: Person
        public var expected: Expectation
        public var mark: Mark
    }

    /// Who is asked for a code.
    public enum Person: String, Sendable, Hashable, CaseIterable {
        /// Gives the code that the bank has sent, or approves in its app.
        case present
        /// Lets the time run out.
        case silent
    }

    public enum Expectation: Sendable, Hashable, CustomStringConvertible {
        /// The right PDF.
        case statement
        /// - Parameter words: stand in what the bank says.
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
