import BrokerStore
import Clocks
import Encodings
import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@testable import Broker

@Suite("Traces are wiped, or never made", .timeLimit(.minutes(3)))
struct WipedTracesTests {
    @Test("a guesser's wrong tokens are in the log, and do not fill it")
    func tokens() async throws {
        let broker = try AttackedBroker()
        try await broker.run { broker in
            for _ in 0..<15 { _ = try await broker.send("GET", "/requests", token: "a guess of a stranger") }
            broker.advance(by: 61)
            _ = try await broker.send("GET", "/requests", token: "a guess of a stranger")
        }
        let records = try await BrokerAudit.open(broker.database).records(AuditFilter(type: "token"))
        #expect(records.count == 2)
        #expect(records.first?.event.details["count"] == 1 && records.last?.event.details["count"] == 15)
    }

    @Test("the broker's start, its configuration and a device's connection are in the log")
    func start() async throws {
        let broker = try AttackedBroker()
        try await broker.run { broker in
            _ = try await broker.send("GET", "/phone/requests/pending", token: AttackedBroker.phoneToken)
            _ = try await broker.send("GET", "/phone/requests/pending", token: AttackedBroker.phoneToken)
        }
        let records = try await BrokerAudit.open(broker.database).records()
        #expect(records.first?.event.type == "broker.started")
        #expect(records.first?.event.details["default_device"] == true)
        #expect(records.count { $0.event.type == "device.connected" } == 1)
    }

    @Test("a policy that is changed while the broker runs counts at once, and the change is in the log")
    func policy() async throws {
        let broker = try AttackedBroker()
        let file = broker.root.appending(path: "policy.yaml")
        try Data("version: 1\nrules: []\n".utf8).write(to: file)
        var configuration = try broker.configuration
        configuration.policyFile = file
        try await broker.run(configuration) { broker in
            #expect(try await broker.ask(month: 1).status == 202)
            let strict = "version: 1\nrules:\n  - {bank: default, require: [device_signature], reason: new}\n"
            try Data(strict.utf8).write(to: file)
            try await Self.wait(for: "policy.changed", broker)
            #expect(try await broker.ask(month: 2).json["error_code"] == "FACTOR_UNAVAILABLE")
            // A mistake does not open what was closed.
            try Data("version: 1\nrules: nonsense\n".utf8).write(to: file)
            try await Self.wait(for: "policy.refused", broker)
            #expect(try await broker.ask(month: 3).json["error_code"] == "FACTOR_UNAVAILABLE")
        }
    }

    private static func wait(for type: String, _ broker: AttackedBroker) async throws {
        while true {
            let types = try await BrokerAudit.open(broker.database).records().map(\.event.type)
            if types.contains(type) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
