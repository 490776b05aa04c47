import Clocks
import Signer

/// Which requests need more than the usual approval. Every rule that matches adds its needs; none takes one away.
public struct ApprovalPolicy: Sendable, Hashable {
    public struct Rule: Sendable, Hashable {
        /// Nil for every bank.
        public var bank: String?
        public var month: Condition?
        public var year: Condition?
        public var factors: Set<ApprovalFactor>
        public var devices: Int
        public var reason: String
        /// The line of the file that the rule begins on, for messages.
        public var line: Int

        func matches(bankID: String, period: MonthYear) -> Bool {
            (bank == nil || bank == bankID) && (month?.holds(period.month) ?? true)
                && (year?.holds(period.year) ?? true)
        }
    }

    /// Of a whole number; everything that is said has to hold.
    public struct Condition: Sendable, Hashable {
        public var below: Int?
        public var above: Int?
        /// One of these.
        public var among: Set<Int>?

        func holds(_ value: Int) -> Bool {
            (below.map { value < $0 } ?? true) && (above.map { value > $0 } ?? true)
                && (among?.contains(value) ?? true)
        }
    }

    public var rules: [Rule]
    /// The longest lease that may be asked for, in seconds; 0 when leases are off.
    public var longestLease: Int

    /// Nothing beyond the usual approval.
    public static let open = ApprovalPolicy(rules: [], longestLease: 0)

    public init(rules: [Rule], longestLease: Int) {
        self.rules = rules
        self.longestLease = longestLease
    }

    public func requirement(bankID: String, period: MonthYear) -> Requirement {
        rules.filter { $0.matches(bankID: bankID, period: period) }.reduce(.none) { needs, rule in
            needs.merged(
                with: Requirement(factors: rule.factors, devices: rule.devices, reasons: [rule.reason]))
        }
    }
}
