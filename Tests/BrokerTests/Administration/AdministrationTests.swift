import Broker
import BrokerStore
import Encodings
import Foundation
import GRDB
import Signer
import Storage
import TestParties
import Testing

@Suite("Administration", .timeLimit(.minutes(3)))
struct AdministrationTests {
    @Test("a backup taken while requests come in is complete and private")
    func backup() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            for month in 1...6 { _ = try await stage.request(month: month, year: 2025) }
            let file = stage.root.appending(path: "copy.sqlite")
            async let more: Void = {
                for month in 7...12 { _ = try await stage.request(month: month, year: 2025) }
            }()
            let receipt = try BrokerBackup.write(stage.database, to: file)
            try await more
            #expect((6...12).contains(receipt.requests))
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let copy = try DatabaseQueue(path: file.path)
            let verdict = try await copy.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
            #expect(verdict == ["ok"])
            try copy.close()
            #expect(throws: StoreError.self) { try BrokerBackup.write(stage.database, to: file) }
            let names = try FileManager.default.contentsOfDirectory(atPath: stage.root.path)
            #expect(!names.contains { $0.hasSuffix(".tmp") })
        }
    }

    @Test("the chained audit log has each change of state and each refused delivery")
    func audit() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id, secret: try SharedSecret(.init(String(repeating: "f", count: 40))))
            while !stage.logged.contains(where: { $0.contains("MANIFEST_VERIFICATION_FAILED") }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            try stage.publish(id)
            while try await stage.status(id) != "COMPLETED" { try await Task.sleep(for: .milliseconds(20)) }
            let late = try await stage.request(month: 2)
            stage.clock.advance(by: 301)
            #expect(try await stage.status(late) == "EXPIRED")
            let log = try BrokerAudit.open(stage.database)
            #expect(
                try await log.records().map(\.event.type) == [
                    "broker.started", "request.created", "device.connected", "request.approved", "delivery.rejected",
                    "request.executing", "request.completed", "request.created", "request.expired",
                ])
            #expect(try await log.verify().isIntact)
        }
    }

    @Test("a backup of a missing database is refused")
    func noBackup() throws {
        let stage = try BrokerStage()
        #expect(throws: StoreError.self) {
            try BrokerBackup.write(stage.database, to: stage.root.appending(path: "copy.sqlite"))
        }
    }

    @Test("the check passes for a healthy broker and names each problem otherwise")
    func check() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            var configuration = stage.configuration
            configuration.port = try #require(stage.port)
            #expect(await BrokerCheck(configuration).findings().allSatisfy(\.isGood))
            configuration.agentToken = .init("another token that the broker does not know")
            configuration.inbox = stage.root.appending(path: "gone")
            let wrong = await BrokerCheck(configuration).findings().filter { !$0.isGood }.map(\.text)
            #expect(wrong.count == 2)
            #expect(wrong.first?.contains("BROKER_API_TOKEN") == true)
        }
        var configuration = stage.configuration
        configuration.port = 1
        #expect(await BrokerCheck(configuration).findings().first?.isGood == false)
    }
}
