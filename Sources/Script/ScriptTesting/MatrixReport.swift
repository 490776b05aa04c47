import Automation
import BankScript

/// The results of a matrix.
public struct MatrixReport: Sendable {
    public struct Entry: Sendable {
        public var row: ScriptMatrix.Row
        public var outcome: Outcome
        public var duration: Duration
        /// The places of the steps that the run began.
        public var steps: Set<Mark> = []
    }

    public struct Statement: Sendable, Hashable {
        /// Lower-case hex.
        public var sha256: String
        public var bytes: Int
        /// True if it is the requested statement.
        public var isRight: Bool
    }

    public enum Outcome: Sendable {
        case statement(Statement)
        case failure(RunFailure)
        /// The row could not be run to its end.
        case broken(String)
    }

    /// The entries in the order of the matrix.
    public var entries: [Entry]
    public var duration: Duration

    public init(entries: [Entry], duration: Duration) {
        self.entries = entries
        self.duration = duration
    }

    public var failed: [Entry] { entries.filter { !$0.isAsExpected } }
}

extension MatrixReport.Entry {
    public var isAsExpected: Bool { surprise == nil }

    /// The difference from what the row expects, in one line; nil if the result is as expected.
    public var surprise: String? {
        switch (row.expected, outcome) {
        case (_, .broken(let why)): why
        case (.statement, .statement(let statement)):
            statement.isRight ? nil : "received a PDF, but not the requested statement"
        case (.statement, .failure(let failure)): "expected a statement, got \(failure.name)"
        case (.failure, .statement): "expected \(row.expected), got a statement: an unexpected success"
        case (.failure(let code, let reason, let words), .failure(let failure)):
            if failure.code != code || (reason != nil && failure.reason != reason) {
                "expected \(row.expected), got \(failure.name)"
            } else if let words, failure.bankWords?.contains(words) != true {
                "expected the bank to say “\(words)”, but it said \(failure.bankWords.map { "“\($0)”" } ?? "nothing")"
            } else {
                nil
            }
        }
    }

    /// The full report of a failure; nil if the run did not fail.
    public var details: String? {
        guard case .failure(let failure) = outcome else { return nil }
        return failure.report(source: row.source)
    }

    /// The outcome, by the name that a matrix uses for it.
    public var result: String {
        switch outcome {
        case .statement: "statement"
        case .failure(let failure): failure.name
        case .broken: "broken"
        }
    }
}

extension RunFailure {
    fileprivate var name: String { code.rawValue + (reason.map { " (\($0.rawValue))" } ?? "") }
}
