import Broker
import BrokerStore
import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Notifications
import Secrets
import TestParties
import TestServers
import Testing

@Suite("Webhooks", .timeLimit(.minutes(4)))
struct WebhookTests {
    private static func configuration(of stage: BrokerStage, _ url: String) throws -> BrokerConfiguration {
        var configuration = stage.configuration
        let secret = try #require(WebhookSecret(Secret("whsec_" + Data(repeating: 7, count: 32).base64EncodedString())))
        configuration.webhook = WebhookConfiguration(url: url + "/hook?of=owner", secret: secret)
        configuration.outgoingLook = .milliseconds(10)
        return configuration
    }

    private static func run(
        _ body: @escaping @Sendable (BrokerStage, FakeReceiver) async throws -> Void
    ) async throws {
        try await FakeReceiver.with { receiver, url in
            let stage = try BrokerStage()
            try await stage.run(configuration(of: stage, url)) { stage in try await body(stage, receiver) }
        }
    }

    private static func attempts(_ stage: BrokerStage) throws -> [Int] {
        try stage.readDatabase { db in
            try Int.fetchAll(db, sql: "SELECT attempts FROM webhook_events ORDER BY number")
        }
    }

    @Test("tells of each document and each finished request, with ids and states alone")
    func tells() async throws {
        try await Self.run { stage, receiver in
            let done = try await stage.complete()
            let denied = try await stage.request()
            _ = try await stage.decide(denied, "DENY")
            try await BrokerStage.until { await receiver.messages.count == 3 }
            var seen: [JSONValue] = []
            for message in await receiver.messages {
                #expect(message.path == "/hook?of=owner" && message.headers["content-type"] == "application/json")
                let json = try JSONReader.read(message.body)
                #expect(json["timestamp"]?.stringValue.flatMap { Timestamp($0) } != nil)
                seen.append(["type": json["type"] ?? .null, "data": json["data"] ?? .null])
                #expect(Set(json.objectValue?.keys ?? [:].keys) == ["type", "timestamp", "data"])
            }
            #expect(
                Set(seen) == [
                    ["type": "document.accepted", "data": ["request_id": .string(done.description)]],
                    [
                        "type": "request.finished",
                        "data": ["request_id": .string(done.description), "status": "COMPLETED"],
                    ],
                    [
                        "type": "request.finished",
                        "data": ["request_id": .string(denied.description), "status": "DENIED"],
                    ],
                ])
            #expect(Set(await receiver.messages.compactMap { $0.headers["webhook-id"] }).count == 3)
            try await BrokerStage.until { try stage.events(of: "webhook.delivered").count == 3 }
            #expect(try Self.attempts(stage).isEmpty, "a delivered event is kept no longer")
        }
    }

    @Test("an event is repeated after 1, 2, 5, 15, 60 and 60 minutes with the same id and body, and then has failed")
    func pauses() async throws {
        try await Self.run { stage, receiver in
            await receiver.answer(Array(repeating: 500, count: 7))
            let id = try await stage.request()
            _ = try await stage.decide(id, "DENY")
            for (number, minutes) in [1, 2, 5, 15, 60, 60].enumerated() {
                try await BrokerStage.until { try Self.attempts(stage) == [number + 1] }
                // Before its time nothing is sent. Ten looks pass meanwhile.
                stage.clock.advance(by: TimeInterval(minutes * 60 - 40))
                try await Task.sleep(for: .milliseconds(100))
                #expect(await receiver.messages.count == number + 1, "before \(minutes) minutes")
                stage.clock.advance(by: 42)
            }
            try await BrokerStage.until { try stage.events(of: "webhook.failed").count == 1 }
            let messages = await receiver.messages
            #expect(messages.count == 7)
            #expect(Set(messages.map(\.body)).count == 1 && Set(messages.map { $0.headers["webhook-id"] }).count == 1)
            #expect(Set(messages.map { $0.headers["webhook-timestamp"] }).count == 7)
            let owner = try BrokerAdministration(environment: ["BROKER_DATABASE_PATH": stage.database.path])
            let left = try await owner.webhook.undelivered()
            #expect(left.waiting == 0 && left.failed == 1 && left.reason == "answered 500")
            #expect(try await owner.webhook.tryAgain() == 1)
            try await BrokerStage.until { await receiver.messages.count == 8 }
        }
    }

    @Test("a database that cannot record a delivery is left alone for a while, so that nothing is told again and again")
    func failingDatabase() async throws {
        try await Self.run { stage, receiver in
            try stage.fail("DELETE", "webhook_events")
            let id = try await stage.request()
            _ = try await stage.decide(id, "DENY")
            try await BrokerStage.until { stage.logged.contains { $0.contains("could not be read or recorded") } }
            // Twenty looks would pass meanwhile.
            try await BrokerStage.passTwentyLooks()
            #expect(await receiver.messages.count == 1)
            #expect(try await stage.send("GET", "/requests").status == 200, "the broker goes on")
        }
    }

    @Test("an event survives a restart")
    func restart() async throws {
        try await FakeReceiver.with { receiver, url in
            let stage = try BrokerStage()
            let configuration = try Self.configuration(of: stage, url)
            await receiver.answer([503])
            try await stage.run(configuration) { stage in
                let id = try await stage.request()
                _ = try await stage.decide(id, "DENY")
                try await BrokerStage.until { try Self.attempts(stage) == [1] }
            }
            stage.clock.advance(by: 61)
            try await stage.run(configuration) { stage in
                try await BrokerStage.until { await receiver.messages.count == 2 }
            }
            let messages = await receiver.messages
            #expect(messages[0].headers["webhook-id"] == messages[1].headers["webhook-id"])
        }
    }

    @Test("events of a time without a webhook are not told later")
    func without() async throws {
        try await FakeReceiver.with { receiver, url in
            let stage = try BrokerStage()
            try await stage.run { stage in _ = try await stage.complete() }
            try await stage.run(Self.configuration(of: stage, url)) { stage in
                let id = try await stage.request()
                _ = try await stage.decide(id, "DENY")
                try await BrokerStage.until { await !receiver.messages.isEmpty }
                let message = try JSONReader.read(await receiver.messages[0].body)
                #expect(message["data"]?["status"] == "DENIED")
            }
        }
    }
}
