import Broker
import Clocks
import Encodings
import Foundation
import Messages
import Notifications
import Synchronization
import TestParties
import Testing

/// A channel that keeps what it is told, and fails as often as it is asked to.
private final class KeptChannel: OwnerChannel {
    struct State: Sendable {
        var sent: [OwnerMessage] = []
        var texts: [String: String] = [:]
        var failures: [any Error] = []
        var hangs = false
    }

    private let state: Mutex<State>
    let announcementsPerHour: Int

    init(failing failures: [any Error] = [], hangs: Bool = false, perHour: Int = 12) {
        state = Mutex(State(failures: failures, hangs: hangs))
        announcementsPerHour = perHour
    }

    var seen: State { state.withLock { $0 } }

    func send(_ message: OwnerMessage) async throws -> String? {
        if seen.hangs { return await withUnsafeContinuation { (_: UnsafeContinuation<String?, Never>) in } }
        return try state.withLock { state in
            if !state.failures.isEmpty { throw state.failures.removeFirst() }
            state.sent.append(message)
            let id = "message-\(state.sent.count)"
            state.texts[id] = message.text
            return id
        }
    }

    func replace(_ id: String, with message: OwnerMessage) async throws {
        state.withLock { $0.texts[id] = message.text }
    }

    func check() async throws -> String { "it is there" }
}

@Suite("A channel that is plugged in", .timeLimit(.minutes(1)))
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
            #expect(announced == [OwnerMessage.Kind.offer])
        }
    }

    @Test("tells of a consent in the next hour, once, when it told enough in this one")
    func consentsOverTheLimit() async throws {
        let channel = KeptChannel(perHour: 1)
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.consentLook = .milliseconds(10)
        @Sendable func count(_ kind: OwnerMessage.Kind) -> Int { channel.seen.sent.count { $0.kind == kind } }
        try await stage.run(configuration, channels: [NamedChannel("kept", channel)]) { stage in
            let end = stage.clock.now.addingTimeInterval(5 * 86_400)
            let consent = BankConsent(endsAt: end, endedAt: nil, needsOwner: true)
            let banks = try ["north", "south"].map { id in
                try #require(OfferedBank(bankID: id, name: id, consent: consent))
            }
            func tell() async throws {
                let answer = try await stage.send("PUT", "/phone/banks", as: .phone, BankList(banks).json)
                #expect(answer.status == 200, "\(answer)")
            }
            try await tell()
            try await until { count(.consent) == 1 }
            stage.clock.advance(by: 3601)
            try await until { count(.consent) == 2 }
            // The messages leave in order, so a third of a consent would come before that of the request.
            stage.clock.advance(by: 3601)
            try await tell()
            let wanted: JSONValue = ["type": "statement", "month": 1, "year": 2026, "bank_id": "north"]
            #expect(try await stage.send("POST", "/request", wanted).status == 202)
            try await until { count(.request) == 1 }
            #expect(count(.consent) == 2)
        }
    }

    @Test("tells of a consent a week and a day before its end and after it, once each, also while the phone is away")
    func consents() async throws {
        let channel = KeptChannel()
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.consentLook = .milliseconds(10)
        @Sendable func told() -> [String] {
            channel.seen.sent.filter { $0.kind == .consent }.map { String($0.text.prefix { $0 != "." }) }
        }
        try await stage.run(configuration, channels: [NamedChannel("kept", channel)]) { stage in
            let end = stage.clock.now.addingTimeInterval(8 * 86_400)
            func tell(_ consent: BankConsent?) async throws {
                let bank = try #require(OfferedBank(bankID: "north", name: "North Bank", consent: consent))
                let banks = try #require(OfferedBank(bankID: "west", name: "West Bank"))
                let answer = try await stage.send("PUT", "/phone/banks", as: .phone, BankList([bank, banks]).json)
                #expect(answer.status == 200, "\(answer)")
            }
            try await tell(BankConsent(endsAt: end, endedAt: nil, needsOwner: true))
            let listed = try await stage.send("GET", "/banks").json["banks"]?.arrayValue
            #expect(listed?.map { $0["consent"]?["ends_at"]?.stringValue } == [Timestamp(end).description, nil])
            #expect(told().isEmpty)
            // From here on the phone is away.
            for (days, count) in [(1.5, 1), (5.6, 2), (1.0, 3)] {
                stage.clock.advance(by: days * 86_400)
                try await until { told().count == count }
            }
            let day = Timestamp(end).description.prefix(10)
            let words = ["ends on \(day), within a week", "ends on \(day), within a day", "ended on \(day)"]
            #expect(told() == words.map { "Countersign: your consent at a bank \($0)" })
            #expect(!channel.seen.sent.contains { $0.text.contains("north") || $0.text.contains("North") })
            // The phone sees the end too, which is nothing new; a renewed consent that the bank takes back is.
            try await tell(BankConsent(endsAt: end, endedAt: stage.clock.now, needsOwner: true))
            try await tell(BankConsent(endsAt: end.addingTimeInterval(90 * 86_400), endedAt: nil, needsOwner: true))
            try await tell(BankConsent(endsAt: nil, endedAt: stage.clock.now, needsOwner: true))
            try await until { told().count == 4 }
            #expect(told().last?.contains("ended on") == true)
        }
        // Nothing is told again after a restart.
        let again = KeptChannel()
        try await stage.run(configuration, channels: [NamedChannel("kept", again)]) { stage in
            let wanted: JSONValue = ["type": "statement", "month": 1, "year": 2026, "bank_id": "west"]
            #expect(try await stage.send("POST", "/request", wanted).status == 202)
            try await until { again.seen.sent.count == 1 }
            #expect(again.seen.sent.first?.kind == .request)
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
