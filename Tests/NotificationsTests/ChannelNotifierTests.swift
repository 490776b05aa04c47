import Broker
import Clocks
import Encodings
import Foundation
import Messages
import Notifications
import TestParties
import Testing

@Suite("A channel that is plugged in", .timeLimit(.minutes(3)))
struct ChannelNotifierTests {
    private func run(
        _ channels: [NamedChannel], _ body: @escaping @Sendable (BrokerStage) async throws -> Void
    ) async throws {
        let stage = try BrokerStage()
        try await stage.run(channels: channels) { try await body($0) }
    }

    /// Polls until the condition holds. The suite's time limit ends a condition that never does.
    private func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test(
        "announces a request, and its announcement says how it ended; only a failure makes another message",
        arguments: [
            ("deny", "was denied", 1), ("expire", "was not approved in time", 1),
            ("fail", "failed: the bank did not accept the sign-in", 2), ("complete", "is complete", 2),
        ])
    func end(_ end: String, _ words: String, _ messages: Int) async throws {
        let channel = KeptChannel()
        try await run([NamedChannel("kept", channel)]) { stage in
            let id = try await stage.request(month: 2)
            try await until { channel.seen.sent.count == 1 }
            let told = try #require(channel.seen.sent.first)
            #expect(told.kind == .request && told.requestID == id && told.text.contains("2026-02"))
            switch end {
            case "deny": _ = try await stage.decide(id, "DENY")
            case "expire":
                stage.clock.advance(by: 3600)
                try await until { try await stage.status(id) == "EXPIRED" }
            case "fail":
                _ = try await stage.decide(id, "APPROVE")
                let report: JSONValue = [
                    "error_code": "BANK_LOGIN_FAILED", "error_message": "the bank's own words",
                    "failed_at": .string(Timestamp(stage.clock.now).description),
                ]
                #expect(try await stage.send("POST", "/phone/requests/\(id)/failure", as: .phone, report).status == 200)
            default:
                _ = try await stage.decide(id, "APPROVE")
                try stage.publish(id)
            }
            try await until { channel.seen.texts["message-1"]?.contains(words) == true }
            try await until { channel.seen.sent.count == messages }
            #expect(channel.seen.texts.values.allSatisfy { !$0.contains("the bank's own words") })
            // The request's row has room for one channel, and a plug-in is never that one.
            #expect(try stage.column("telegram_message_id", of: id) == nil)
        }
    }

    @Test("tells of an offer, within the hour's limit")
    func offers() async throws {
        let channel = KeptChannel(perHour: 1)
        try await run([NamedChannel("kept", channel)]) { stage in
            for month in ["2026-01", "2026-02"] {
                let body: JSONValue = ["from": .string(month), "to": .string(month)]
                #expect(try await stage.send("POST", "/offers", body).status == 202)
            }
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id)
            try await until { channel.seen.sent.contains { $0.kind == .completed } }
            let announced: [OwnerMessage.Kind] = channel.seen.sent.map(\.kind).filter { $0 == .offer || $0 == .request }
            #expect(announced == [.offer, .request], "the second offer is held back, and no request for its sake")
        }
    }

    @Test("one that refuses, or hangs for ever, holds up neither a request nor another channel, nor the broker's end")
    func broken() async throws {
        let good = KeptChannel()
        let refusing = KeptChannel(failing: [OwnerChannelError(.refused, "the topic is not yours")])
        let hanging = KeptChannel(hangs: true)
        try await run([
            NamedChannel("hanging", hanging), NamedChannel("refusing", refusing), NamedChannel("good", good),
        ]) { stage in
            let first = try await stage.request(month: 1)
            try await until { good.seen.sent.count == 1 && refusing.seen.failures.isEmpty }
            #expect(try await stage.status(first) == "PENDING_APPROVAL")
            // What was refused is not tried again; the next message is sent.
            _ = try await stage.request(month: 2)
            try await until { refusing.seen.sent.count == 1 }
            #expect(refusing.seen.sent.first?.text.contains("2026-02") == true)
            for line in ["{channel=\"good\",outcome=\"sent\"}", "{channel=\"refusing\",outcome=\"failed\"} 1"] {
                try await until {
                    let metrics = try await stage.exchange("GET", "/metrics", as: .nobody)
                    return String(decoding: metrics.body, as: UTF8.self)
                        .contains("countersign_channel_messages_total" + line)
                }
            }
        }
        #expect(hanging.seen.sent.isEmpty)
    }

    @Test("is checked with the broker", arguments: [true, false])
    func check(isGood: Bool) async throws {
        struct Wrong: OwnerChannel, Error, CustomStringConvertible {
            var description: String { "the topic is not writable" }
            func send(_ message: OwnerMessage) async throws -> String? { nil }
            func check() async throws -> String { throw self }
        }
        let stage = try BrokerStage()
        let channel: any OwnerChannel = isGood ? KeptChannel() : Wrong()
        let findings = await BrokerCheck(stage.configuration, channels: [NamedChannel("kept", channel)]).findings()
        let finding = try #require(findings.first { $0.subject == .channel("kept") })
        #expect(finding.isGood == isGood)
        #expect(finding.text == (isGood ? "kept: it is there" : "kept: the topic is not writable"))
    }
}
