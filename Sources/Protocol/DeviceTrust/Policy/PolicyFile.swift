import Foundation
import Messages
import Yams

/// A mistake in a policy file, and its place.
package struct PolicyProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// Counts from 1; 0 when the line is unknown.
    package let line: Int
    package let message: String

    package var description: String { line > 0 ? "line \(line): \(message)" : message }
}

/// All mistakes of a policy file. A file with one mistake is not used at all.
package struct PolicyError: Error, Sendable, Hashable, CustomStringConvertible {
    package let problems: [PolicyProblem]

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension ApprovalPolicy {
    /// The size limit of a policy file, in bytes.
    package static let largestFile = 256 << 10

    /// Reads the YAML format that the `README.md` of this module describes.
    ///
    /// - Throws: ``PolicyError`` with every problem at once.
    package init(yaml: String) throws(PolicyError) {
        guard yaml.utf8.count <= Self.largestFile else {
            throw PolicyError(problems: [PolicyProblem(line: 0, message: "the file has more than 256 KiB")])
        }
        var reader = PolicyReader()
        let root: Node?
        do {
            root = try Yams.compose(yaml: yaml)
        } catch let error as YamlError {
            throw PolicyError(problems: [PolicyReader.problem(of: error)])
        } catch {
            throw PolicyError(problems: [PolicyProblem(line: 0, message: "the file is not YAML")])
        }
        let policy = reader.policy(root)
        guard reader.problems.isEmpty else { throw PolicyError(problems: reader.problems.sorted { $0.line < $1.line }) }
        self = policy
    }
}

/// Reads the file's nodes and collects their mistakes.
private struct PolicyReader {
    private(set) var problems: [PolicyProblem] = []

    static func problem(of error: YamlError) -> PolicyProblem {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            PolicyProblem(line: mark.line, message: problem)
        case .duplicatedKeysInMapping(_, let context):
            PolicyProblem(line: context.mark.line, message: "a name is repeated")
        default: PolicyProblem(line: 0, message: "the file is not YAML")
        }
    }

    mutating func policy(_ root: Node?) -> ApprovalPolicy {
        guard let root, let members = members(root, ["version", "rules", "agents", "scripts", "leases"], "the policy")
        else {
            if problems.isEmpty { report(root, "the file is empty; it begins with “version: 1”") }
            return .open
        }
        if members["version"]?.int != 1 {
            report(members["version"] ?? root, "“version” must be 1")
        }
        var rules: [ApprovalPolicy.Rule] = []
        if let list = members["rules"] {
            guard let items = list.sequence else {
                report(list, "“rules” must be a list")
                return .open
            }
            rules = items.compactMap { rule($0) }
        }
        if let leases = members["leases"] {
            report(leases, "“leases” does not exist any more: every approval is for one request; remove it")
        }
        var limits: [AgentLimits] = []
        if let list = members["agents"] {
            guard let items = list.sequence else {
                report(list, "“agents” must be a list")
                return .open
            }
            limits = items.compactMap { agentLimits($0) }
        }
        return ApprovalPolicy(
            rules: rules, limits: limits, scripts: members["scripts"].flatMap { scriptDemand($0) })
    }

    private mutating func scriptDemand(_ node: Node) -> ScriptDemand? {
        guard let members = members(node, ["vouches", "reviewers"], "“scripts”") else { return nil }
        guard let list = members["reviewers"]?.mapping, (1...ScriptDemand.mostReviewers).contains(list.count) else {
            report(members["reviewers"] ?? node, "“reviewers” must name keys, as in ada: ssh-ed25519 AAAA…")
            return nil
        }
        var reviewers: [String: String] = [:]
        for (key, value) in list {
            guard let name = key.string, (1...40).contains(name.count), let line = value.string,
                line.split(separator: " ").count >= 2
            else {
                report(key, "a reviewer has a name of at most 40 characters, and a key such as ssh-ed25519 AAAA…")
                continue
            }
            reviewers[name] = line
        }
        let vouches = members["vouches"].map { whole($0, "vouches", in: 0...list.count) ?? 0 } ?? 0
        return ScriptDemand(vouches: vouches, reviewers: reviewers)
    }

    private static let limitNames = ["agent", "banks", "accounts", "kinds", "months_back", "per_day", "files"]

    private mutating func agentLimits(_ node: Node) -> AgentLimits? {
        guard let members = members(node, Self.limitNames, "an entry of “agents”") else { return nil }
        guard let named = members["agent"] else {
            report(node, "an entry of “agents” needs “agent”: a name, a list of names, or \"*\" for all")
            return nil
        }
        if members.count == 1 {
            report(node, "the entry limits nothing; give banks, accounts, kinds, months_back, per_day or files")
        }
        var limits = AgentLimits(agents: agents(named), line: node.mark?.line ?? 0)
        limits.banks = members["banks"].map { names($0, "banks", "a bank's id") { OfferedBank.isID($0) ? $0 : nil } }
        limits.accounts = members["accounts"].map { names($0, "accounts", AccountAlias.rule, AccountAlias.init) }
        limits.kinds = members["kinds"].map { kinds($0) }
        limits.monthsBack = members["months_back"].flatMap { whole($0, "months_back", in: 0...1200) }
        limits.perDay = members["per_day"].flatMap { whole($0, "per_day", in: 1...1000) }
        if let node = members["files"] {
            limits.files = node.scalar.flatMap { AgentLimits.Files(rawValue: $0.string) }
            if limits.files == nil {
                let known = AgentLimits.Files.allCases.map(\.rawValue).joined(separator: ", ")
                report(node, "“files” must be one of: \(known)")
            }
        }
        return limits
    }

    /// Reads the names of agents; nil for `*`, which means every one.
    private mutating func agents(_ node: Node) -> Set<AgentName>? {
        if node.scalar?.string == "*" { return nil }
        return names(node, "agent", "an agent's name", AgentName.init)
    }

    private mutating func kinds(_ node: Node) -> Set<DocumentKind> {
        names(node, "kinds", "one of: " + DocumentKind.allCases.map(\.rawValue).joined(separator: ", ")) {
            DocumentKind(rawValue: $0)
        }
    }

    private mutating func rule(_ node: Node) -> ApprovalPolicy.Rule? {
        guard let members = members(node, ["bank", "agent", "when", "require", "devices", "reason"], "a rule") else {
            return nil
        }
        guard let bank = members["bank"]?.string, !bank.isEmpty else {
            report(node, "a rule needs “bank”: the ID of a bank, or \"*\" for all")
            return nil
        }
        guard let reason = members["reason"]?.string, (1...200).contains(reason.count) else {
            report(node, "a rule needs “reason”, which the person reads: 1 to 200 characters")
            return nil
        }
        let factors = members["require"].map { self.factors($0) } ?? []
        let devices =
            members["devices"].map { whole($0, "devices", in: 1...Requirement.mostDevices) ?? 1 } ?? 1
        if factors.isEmpty, devices == 1, members["require"]?.sequence?.isEmpty ?? true {
            report(node, "the rule asks for nothing; give “require” or “devices”")
        }
        let when = members["when"].flatMap { self.members($0, Self.conditionNames, "“when”") } ?? [:]
        let conditions = conditions(when)
        return ApprovalPolicy.Rule(
            bank: bank == "*" ? nil : bank, agents: members["agent"].flatMap { agents($0) }, month: conditions["month"],
            year: conditions["year"],
            documents: conditions["documents"], months: conditions["months"],
            accounts: when["account"].map { names($0, "account", AccountAlias.rule, AccountAlias.init) },
            kinds: when["kinds"].map { kinds($0) },
            // Only their signatures tell two devices apart.
            factors: devices > 1 ? factors.union([.deviceSignature]) : factors, devices: devices, reason: reason,
            line: node.mark?.line ?? 0)
    }

    private mutating func factors(_ node: Node) -> Set<ApprovalFactor> {
        guard let items = node.sequence else {
            report(node, "“require” must be a list")
            return []
        }
        var factors: Set<ApprovalFactor> = []
        for item in items {
            guard let factor = item.string.flatMap(ApprovalFactor.init) else {
                let known = ApprovalFactor.allCases.map(\.rawValue).joined(separator: ", ")
                report(item, "“\((item.string ?? "…").prefix(40))” is not a factor; use one of: \(known)")
                continue
            }
            factors.insert(factor)
        }
        return factors
    }

    private static let conditionNames = ["month", "year", "documents", "months", "account", "kinds"]

    private mutating func conditions(_ members: [String: Node]) -> [String: ApprovalPolicy.Condition] {
        let ranges = [
            "month": 1...12, "year": 1900...9999, "documents": 1...DocumentSelection.most,
            "months": 1...1200,
        ]
        var conditions: [String: ApprovalPolicy.Condition] = [:]
        for (name, range) in ranges {
            if let node = members[name] { conditions[name] = condition(node, name, in: range) }
        }
        return conditions
    }

    /// Reads one name or a list of them.
    private mutating func names<Value: Hashable>(
        _ node: Node, _ name: String, _ rule: String, _ read: (String) -> Value?
    ) -> Set<Value> {
        let items = node.sequence.map(Array.init) ?? [node]
        if items.isEmpty { report(node, "“\(name)” is empty; give a name or a list of names") }
        var values: Set<Value> = []
        for item in items {
            guard let text = item.scalar?.string, let value = read(text) else {
                report(item, "“\((item.scalar?.string ?? "…").prefix(40))” in “\(name)” is not \(rule)")
                continue
            }
            values.insert(value)
        }
        return values
    }

    private mutating func condition(_ node: Node, _ name: String, in range: ClosedRange<Int>)
        -> ApprovalPolicy.Condition
    {
        if node.scalar != nil {
            return ApprovalPolicy.Condition(among: whole(node, name, in: range).map { [$0] } ?? [])
        }
        guard let members = members(node, ["below", "above", "equals", "in"], "“\(name)”") else {
            return ApprovalPolicy.Condition()
        }
        var condition = ApprovalPolicy.Condition()
        condition.below = members["below"].flatMap { whole($0, "below", in: range) }
        condition.above = members["above"].flatMap { whole($0, "above", in: range) }
        if let equals = members["equals"] { condition.among = whole(equals, "equals", in: range).map { [$0] } }
        if let list = members["in"] {
            guard let items = list.sequence, !items.isEmpty else {
                report(list, "“in” must be a list of numbers")
                return condition
            }
            condition.among = Set(items.compactMap { whole($0, "in", in: range) })
        }
        if members.isEmpty { report(node, "“\(name)” is empty; give below, above, equals or in") }
        return condition
    }

    // MARK: Nodes

    private mutating func report(_ node: Node?, _ message: String) {
        problems.append(PolicyProblem(line: node?.mark?.line ?? 0, message: message))
    }

    /// Lists the names of members. “leases” is known only to say that it is gone.
    private func shown(_ names: [String]) -> String {
        names.filter { $0 != "leases" }.map { $0 == "version" ? "version: 1" : $0 }.joined(separator: ", ")
    }

    /// Returns the members of a mapping; nil, with a report, when it has members other than these.
    private mutating func members(_ node: Node, _ names: [String], _ what: String) -> [String: Node]? {
        guard let mapping = node.mapping else {
            report(node, "\(what) must have named parts, each with a colon: \(shown(names))")
            return nil
        }
        var members: [String: Node] = [:]
        for (key, value) in mapping {
            guard let name = key.string, names.contains(name) else {
                let seen = (key.string ?? "…").prefix(40)
                report(key, "\(what) has an unknown member “\(seen)”; use: \(shown(names))")
                continue
            }
            members[name] = value
        }
        return members
    }

    private mutating func whole(_ node: Node, _ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = node.int, range.contains(number) else {
            report(node, "“\(name)” must be an integer from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }
}
