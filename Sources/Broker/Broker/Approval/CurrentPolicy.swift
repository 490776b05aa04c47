import BrokerStore
import Clocks
import DeviceTrust
import Encodings
import Foundation
import Logging
import Machine
import Messages
import Storage
import Synchronization

import struct Crypto.SHA256

/// The approval policy, read again when its file changes. A file that cannot be read, or that has problems, leaves the last
/// good policy in force: a mistake in it must not open what was closed.
final class CurrentPolicy: Sendable {
    /// The time between two looks at the file.
    private static let interval: Duration = .seconds(1)

    private let file: URL?
    /// The limits that persons have set programs elsewhere; nil in a broker without them.
    private let clients: ClientStore?
    private let state: Mutex<State>

    private struct State {
        var policy: ApprovalPolicy
        /// The text that was read last, good or not.
        var text: [UInt8]?
    }

    /// - Parameter file: nil for a policy that never changes.
    init(_ policy: ApprovalPolicy, file: URL? = nil, clients: ClientStore? = nil) {
        self.file = file
        self.clients = clients
        state = Mutex(State(policy: policy, text: file.flatMap(Self.text)))
    }

    var policy: ApprovalPolicy { state.withLock { $0.policy } }

    /// Returns the policy with the limits that a person has set this agent, if it is a program elsewhere.
    func rules(of agent: AgentName) async throws -> ApprovalPolicy {
        var policy = policy
        // A program elsewhere never has this name. Its polls are as quick as an empty route only without a look at the database.
        guard agent != .standard, let own = try await clients?.limits(of: agent) else { return policy }
        policy.limits.append(AgentLimits(of: agent, own))
        return policy
    }

    /// Returns the banks to which a person has limited a program elsewhere; nil for every bank.
    func banks(of agent: AgentName) async throws -> Set<String>? {
        try await clients?.limits(of: agent)?.banks.map { Set($0) }
    }

    /// The SHA-256 of the file's text; nil without a file.
    var digest: String? { state.withLock { $0.text }.map { Base16.encode(SHA256.hash(data: $0)) } }

    /// Looks at the file every second until the task is cancelled, and records each change.
    func run(audit: AuditLog, clock: BrokerClock, logger: Logger) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            guard let change = refresh() else { continue }
            var details = change.details
            details["sha256"] = digest.map { .string($0) }
            let event = AuditEvent(
                change.isGood ? .policyChanged : .policyRefused, severity: change.isGood ? .warning : .error,
                details: .object(details), time: clock.now)
            _ = try? await audit.record(event)
            if change.isGood {
                logger.warning("the policy has changed", metadata: ["rules": "\(policy.rules.count)"])
            } else {
                logger.error(
                    "the changed policy has problems; the one before stays", metadata: ["problems": "\(details)"])
            }
        }
    }

    private static func text(of file: URL) -> [UInt8]? {
        try? OpenedFile(file, links: .followed).bytes(atMost: 1 << 20)
    }

    /// Reads the file if its text has changed.
    private func refresh() -> (isGood: Bool, details: [String: JSONValue])? {
        guard let file else { return nil }
        let text = Self.text(of: file)
        guard state.withLock({ $0.text }) != text else { return nil }
        state.withLock { $0.text = text }
        guard let text else { return (false, ["problem": "the file cannot be read"]) }
        do {
            let policy = try ApprovalPolicy(yaml: String(decoding: text, as: UTF8.self))
            state.withLock { $0.policy = policy }
            return (true, ["rules": .number(Double(policy.rules.count))])
        } catch {
            return (false, ["problem": .string(error.problems.map { "\($0)" }.joined(separator: "; "))])
        }
    }
}
