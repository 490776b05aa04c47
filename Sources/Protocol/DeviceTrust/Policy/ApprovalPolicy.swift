import Clocks
import Messages

/// The rules for requests that need more than the usual approval. Every rule that matches adds its needs; no rule
/// removes one.
package struct ApprovalPolicy: Sendable, Hashable {
    package struct Rule: Sendable, Hashable {
        /// Nil for every bank.
        package var bank: String?
        /// Nil for every agent.
        package var agents: Set<AgentName>?
        package var month: Condition?
        package var year: Condition?
        /// The number of documents of the request; 1 for a statement.
        package var documents: Condition?
        /// The number of months of the request, from its first month to its last; 1 for a statement.
        package var months: Condition?
        /// Nil for every account. A request that names no account may be for any, so it matches.
        package var accounts: Set<AccountAlias>?
        /// Nil for every kind. A statement is a PDF.
        package var kinds: Set<DocumentKind>?
        package var factors: Set<ApprovalFactor>
        package var devices: Int
        package var reason: String
        /// The line of the file where the rule begins, for messages.
        package var line: Int

        /// The rule asks for something of each request of its banks.
        package var hasNoConditions: Bool {
            agents == nil && month == nil && year == nil && documents == nil && months == nil && accounts == nil
                && kinds == nil
        }

        func matches(bankID: String, _ agent: AgentName, _ subject: RequestSubject) -> Bool {
            (bank == nil || bank == bankID) && (agents?.contains(agent) ?? true)
                && (documents?.holds(subject.count) ?? true)
                && (months?.holds(subject.monthSpan) ?? true) && subject.places.contains { matches($0) }
        }

        /// Returns whether one of a request's documents is among those that the rule is about.
        private func matches(_ place: DocumentPlace) -> Bool {
            (month?.holds(place.period.month) ?? true) && (year?.holds(place.period.year) ?? true)
                && (kinds?.contains(place.kind) ?? true)
                && (accounts.map { accounts in place.account.map(accounts.contains) ?? true } ?? true)
        }
    }

    /// A condition on a whole number: all parts that are set have to hold.
    package struct Condition: Sendable, Hashable {
        package var below: Int?
        package var above: Int?
        /// The accepted values.
        package var among: Set<Int>?

        func holds(_ value: Int) -> Bool {
            (below.map { value < $0 } ?? true) && (above.map { value > $0 } ?? true)
                && (among?.contains(value) ?? true)
        }
    }

    package var rules: [Rule]
    /// The limits of agents: their wishes, and the form of their documents. The broker keeps to them; on a phone they mean nothing.
    package var limits: [AgentLimits]
    /// The reviewers of scripts; nil when the owner names none.
    package var scripts: ScriptDemand?

    /// A policy that asks for the usual approval only.
    package static let open = ApprovalPolicy(rules: [])

    package init(rules: [Rule], limits: [AgentLimits] = [], scripts: ScriptDemand? = nil) {
        self.rules = rules
        self.limits = limits
        self.scripts = scripts
    }

    /// The needs of a request: those of every document that it asks for.
    ///
    /// - Parameter agent: the agent that asks.
    package func requirement(
        bankID: String, subject: RequestSubject, agent: AgentName = .standard
    ) -> Requirement {
        rules.filter { $0.matches(bankID: bankID, agent, subject) }.reduce(.none) { needs, rule in
            needs.merged(
                with: Requirement(factors: rule.factors, devices: rule.devices, reasons: [rule.reason]))
        }
    }

    /// The needs of a request for one statement.
    package func requirement(bankID: String, period: MonthYear) -> Requirement {
        requirement(bankID: bankID, subject: .statement(period))
    }
}

extension RequestSubject {
    /// The documents, one by one. A statement is the PDF of an account that the request does not name.
    fileprivate var places: [DocumentPlace] {
        switch self {
        case .statement(let period): [DocumentPlace(period: period)]
        case .documents(let selection): selection.places
        }
    }

    /// The months from the first to the last, both included.
    fileprivate var monthSpan: Int {
        guard let first = periods.first, let last = periods.last else { return 0 }
        return (last.year - first.year) * 12 + last.month - first.month + 1
    }
}
