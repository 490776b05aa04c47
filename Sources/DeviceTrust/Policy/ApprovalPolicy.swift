import Clocks
import Messages

/// The rules for requests that need more than the usual approval. Every rule that matches adds its needs; no rule
/// removes one.
public struct ApprovalPolicy: Sendable, Hashable {
    public struct Rule: Sendable, Hashable {
        /// Nil for every bank.
        public var bank: String?
        public var month: Condition?
        public var year: Condition?
        /// The number of documents of the request; 1 for a statement.
        public var documents: Condition?
        public var factors: Set<ApprovalFactor>
        public var devices: Int
        public var reason: String
        /// The line of the file where the rule begins, for messages.
        public var line: Int

        func matches(bankID: String, period: MonthYear, documents count: Int) -> Bool {
            (bank == nil || bank == bankID) && (month?.holds(period.month) ?? true)
                && (year?.holds(period.year) ?? true) && (documents?.holds(count) ?? true)
        }
    }

    /// A condition on a whole number: all parts that are set have to hold.
    public struct Condition: Sendable, Hashable {
        public var below: Int?
        public var above: Int?
        /// The accepted values.
        public var among: Set<Int>?

        func holds(_ value: Int) -> Bool {
            (below.map { value < $0 } ?? true) && (above.map { value > $0 } ?? true)
                && (among?.contains(value) ?? true)
        }
    }

    public var rules: [Rule]

    /// A policy that asks for the usual approval only.
    public static let open = ApprovalPolicy(rules: [])

    public init(rules: [Rule]) {
        self.rules = rules
    }

    /// The needs of a request: those of every month that it asks for.
    public func requirement(bankID: String, subject: RequestSubject) -> Requirement {
        subject.periods.reduce(.none) {
            $0.merged(with: requirement(bankID: bankID, period: $1, documents: subject.count))
        }
    }

    /// The needs of a request for one statement.
    public func requirement(bankID: String, period: MonthYear) -> Requirement {
        requirement(bankID: bankID, period: period, documents: 1)
    }

    private func requirement(bankID: String, period: MonthYear, documents count: Int) -> Requirement {
        rules.filter { $0.matches(bankID: bankID, period: period, documents: count) }.reduce(.none) { needs, rule in
            needs.merged(
                with: Requirement(factors: rule.factors, devices: rule.devices, reasons: [rule.reason]))
        }
    }
}
