import Clocks
import Foundation
import Messages

/// The limits that the owner's policy sets agents. Every entry that names an agent limits it further; none allows more.
package struct AgentLimits: Sendable, Hashable {
    /// The form in which an agent gets documents.
    package enum Files: String, Sendable, Hashable, CaseIterable {
        /// The path of the file on the broker's machine, and the text: for an agent on that machine. This is the usual form.
        case path
        /// The file over HTTP, and the text: for an agent on another machine.
        case bytes
        /// The text alone.
        case text
        /// Nothing but the request's state.
        case none

        fileprivate var ways: Set<FileWay> {
            switch self {
            case .path: [.path, .text]
            case .bytes: [.bytes, .text]
            case .text: [.text]
            case .none: []
            }
        }
    }

    /// One way to a document.
    package enum FileWay: Sendable, Hashable {
        case path, bytes, text
    }

    /// Nil for every agent.
    package var agents: Set<AgentName>?
    /// Nil for every bank.
    package var banks: Set<String>?
    /// Nil for every account. A request that names no account may be for any, so a list of accounts refuses it.
    package var accounts: Set<AccountAlias>?
    /// Nil for every kind.
    package var kinds: Set<DocumentKind>?
    /// The number of months before the current one that the agent may ask for; nil for any.
    package var monthsBack: Int?
    /// The number of new requests within 24 hours; nil for any.
    package var perDay: Int?
    package var files: Files?
    /// The line of the file where the entry begins, for messages.
    package var line: Int

    init(
        agents: Set<AgentName>? = nil, banks: Set<String>? = nil, kinds: Set<DocumentKind>? = nil, perDay: Int? = nil,
        files: Files? = nil, line: Int
    ) {
        (self.agents, self.banks, self.kinds) = (agents, banks, kinds)
        (self.perDay, self.files, self.line) = (perDay, files, line)
    }

    /// The limits that a person has set a program elsewhere. It gets files over HTTP: a path on the broker's machine is of no
    /// use to it.
    package init(of agent: AgentName, _ chosen: ClientLimits) {
        self.init(
            agents: [agent], banks: chosen.banks.map { Set($0) }, kinds: chosen.kinds.map { Set($0) },
            perDay: chosen.perDay, files: .bytes, line: 0)
    }

    fileprivate func names(_ agent: AgentName) -> Bool { agents?.contains(agent) ?? true }

    /// Returns why a request is not allowed; nil when it is.
    fileprivate func refusal(bankID: String, _ subject: RequestSubject, latest: MonthYear) -> String? {
        if let banks, !banks.contains(bankID) {
            return "the bank “\(bankID)”; it allows \(Self.list(banks))"
        }
        let (asked, asksForKinds) =
            switch subject {
            case .statement: ([AccountAlias](), [DocumentKind.pdf])
            case .documents(let selection): (selection.accounts, selection.kinds)
            }
        if let kinds, let kind = asksForKinds.first(where: { !kinds.contains($0) }) {
            return "\(kind.rawValue); it allows \(Self.list(kinds.map(\.rawValue)))"
        }
        if let accounts {
            let allowed = Self.list(accounts.map(\.description))
            guard !asked.isEmpty else { return "a request that names no account; it allows \(allowed)" }
            if let account = asked.first(where: { !accounts.contains($0) }) {
                return "the account “\(account)”; it allows \(allowed)"
            }
        }
        if let monthsBack, let first = subject.periods.min() {
            let age = (latest.year - first.year) * 12 + latest.month - first.month
            if age > monthsBack { return "\(first); it allows \(monthsBack) months before \(latest)" }
        }
        return nil
    }

    private static func list(_ names: some Sequence<String>) -> String { names.sorted().joined(separator: ", ") }
}

extension ApprovalPolicy {
    /// Returns why the policy does not allow an agent this request, in words for the agent; nil when it does.
    package func refusal(
        of agent: AgentName, bankID: String, subject: RequestSubject, at now: Date
    ) -> String? {
        let latest = MonthYear.latest(at: now)
        for limits in limits where limits.names(agent) {
            if let reason = limits.refusal(bankID: bankID, subject, latest: latest) {
                return "the owner's policy does not allow the agent “\(agent)” \(reason)"
            }
        }
        return nil
    }

    /// The number of new requests that the policy allows an agent within 24 hours; nil for any.
    package func requestsPerDay(of agent: AgentName) -> Int? {
        limits.filter { $0.names(agent) }.compactMap(\.perDay).min()
    }

    /// The ways in which the policy gives an agent documents.
    package func fileWays(of agent: AgentName) -> Set<AgentLimits.FileWay> {
        let chosen = limits.filter { $0.names(agent) }.compactMap(\.files)
        guard let first = chosen.first else { return AgentLimits.Files.path.ways }
        return chosen.dropFirst().reduce(first.ways) { $0.intersection($1.ways) }
    }
}
