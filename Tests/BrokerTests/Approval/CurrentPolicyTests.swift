import BrokerStore
import Clocks
import Crypto
import DeviceTrust
import Encodings
import Foundation
import Messages
import Storage
import TestParties
import Testing

@testable import Broker

@Suite("The policy's file while the broker runs", .timeLimit(.minutes(4)))
struct CurrentPolicyTests {
    private static let good = "version: 1\nrules:\n  - {bank: default, devices: 2, reason: two of us}\n"

    /// A change of the file, and what the audit log and the broker's log say about it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Nil for a file that is gone.
        let text: String?
        let type: String
        let severity: AuditSeverity
        /// The parts of the record's details, besides the file's digest.
        let details: [String: JSONValue]
        let logged: String
        /// The number of rules in force afterwards; there was one before.
        let rules: Int
    }

    static let changes: [Change] = [
        Change(
            testDescription: "good", text: good + "  - {bank: other, devices: 2, reason: mine}\n",
            type: "policy.changed", severity: .warning, details: ["rules": 2],
            logged: "warning the policy has changed rules=2", rules: 2),
        Change(
            testDescription: "with a problem", text: "version: 2\n", type: "policy.refused", severity: .error,
            details: ["problem": "line 1: “version” must be 1"],
            logged: "error the changed policy has problems", rules: 1),
        Change(
            testDescription: "gone", text: nil, type: "policy.refused", severity: .error,
            details: ["problem": "the file cannot be read"], logged: "error the changed policy has problems", rules: 1),
    ]

    @Test("is read again when it changes, and a mistake in it leaves the rules as they were", arguments: changes)
    func changed(change: Change) async throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        let file = stage.root.appending(path: "policy.yaml")
        try Data(Self.good.utf8).write(to: file)
        let policy = CurrentPolicy(try ApprovalPolicy(yaml: Self.good), file: file)
        if let text = change.text {
            try Data(text.utf8).write(to: file)
        } else {
            try FileManager.default.removeItem(at: file)
        }
        let records = LogRecords()
        let start = ContinuousClock.now
        let watch = Task { await policy.run(audit: database.audit, clock: BrokerClock(), logger: records.logger) }
        defer { watch.cancel() }
        let end = ContinuousClock.now + .seconds(60)
        // The log is written last.
        while records.all.isEmpty, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        #expect(ContinuousClock.now - start >= .seconds(1))
        // Time for another look, at a file that stays as it is.
        try await Task.sleep(for: .milliseconds(1500))

        let events = try await database.audit.records(AuditFilter(type: "policy")).map(\.event)
        #expect(events.map(\.type) == [change.type] && events.map(\.severity) == [change.severity])
        var details = change.details
        details["sha256"] = change.text.map { text in
            .string(SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined())
        }
        #expect(events.map(\.details) == [.object(details)])
        #expect(records.all.count == 1 && records.all.first?.hasPrefix(change.logged) == true, "\(records.all)")
        #expect(policy.policy.rules.count == change.rules)
    }

    @Test("the rules of the agent with the broker's own token need no look at the database")
    func standardAgent() async throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        let policy = CurrentPolicy(try ApprovalPolicy(yaml: Self.good), clients: database.clients)
        database.close()
        #expect(try await policy.rules(of: .standard).rules.count == 1)
        let other = try #require(AgentName("other"))
        await #expect(throws: (any Error).self) { try await policy.rules(of: other) }
    }

    @Test("a pipe in the file's place is a file that cannot be read")
    func pipe() async throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        let file = stage.root.appending(path: "policy.yaml")
        try Data(Self.good.utf8).write(to: file)
        let policy = CurrentPolicy(try ApprovalPolicy(yaml: Self.good), file: file)
        try FileManager.default.removeItem(at: file)
        #expect(mkfifo(file.path, 0o600) == 0)
        let records = LogRecords()
        let watch = Task { await policy.run(audit: database.audit, clock: BrokerClock(), logger: records.logger) }
        defer { watch.cancel() }
        while records.all.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(policy.policy.rules.count == 1)
    }
}
