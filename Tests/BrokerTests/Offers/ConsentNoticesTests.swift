import Clocks
import Encodings
import Foundation
import Messages
import Notifications
import TestParties
import Testing

@testable import Broker

@Suite("The notices of consents", .timeLimit(.minutes(3)))
struct ConsentNoticesTests {
    /// Polls until the condition holds. The suite's time limit ends a condition that never does.
    private func until(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("tells of a consent in the next hour, once, when it told enough in this one")
    func consentsOverTheLimit() async throws {
        let channel = KeptChannel(perHour: 1)
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.consentLook = .milliseconds(10)
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
            try await until { channel.count(.consent) == 1 }
            stage.clock.advance(by: 3601)
            try await until { channel.count(.consent) == 2 }
            // The messages leave in order, so a third of a consent would come before that of the request.
            stage.clock.advance(by: 3601)
            try await tell()
            let wanted: JSONValue = ["type": "statement", "month": 1, "year": 2026, "bank_id": "north"]
            #expect(try await stage.send("POST", "/request", wanted).status == 202)
            try await until { channel.count(.request) == 1 }
            #expect(channel.count(.consent) == 2)
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
            // A message counts as told a moment after it was sent.
            try await until {
                try await stage.administration().database.banks
                    .untoldConsents(withDefaultDevice: true, at: stage.clock.now).isEmpty
            }
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

    @Test(
        "a phone with very many consents, each time with other ends, holds back none of another phone's and no request")
    func hostilePhone() async throws {
        let channel = KeptChannel(perHour: 3)
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.consentLook = .milliseconds(10)
        try await stage.run(configuration, channels: [NamedChannel("kept", channel)]) { stage in
            let (mallory, ada) = (try await stage.pair("Mallory"), try await stage.pair("Ada"))
            func banks(_ count: Int, endingIn days: Double) throws -> JSONValue {
                BankList(
                    try (0..<count).map { number in
                        let consent = BankConsent(
                            endsAt: stage.clock.now.addingTimeInterval(days * 86_400 + TimeInterval(number)),
                            endedAt: nil,
                            needsOwner: true)
                        return try #require(OfferedBank(bankID: "bank-\(number)", name: "Bank", consent: consent))
                    }
                ).json
            }
            for days in [3.0, 4, 5] {
                let answer = try await mallory.send("PUT", "/phone/banks", try banks(BankList.most, endingIn: days))
                #expect(answer.status == 200)
            }
            try await until { channel.count(.consent) == 3 }
            #expect(try await ada.send("PUT", "/phone/banks", try banks(1, endingIn: 0.5)).status == 200)
            try await until { channel.seen.sent.contains { $0.text.contains("within a day") } }
            let wanted: JSONValue = ["type": "statement", "month": 1, "year": 2026, "bank_id": "bank-0"]
            #expect(try await stage.send("POST", "/request", wanted).status == 202)
            try await until { channel.count(.request) == 1 }
            #expect(channel.count(.consent) == 4)
        }
    }

    @Test(
        "a phone that lets very many requests of its own fail hides no request: its ends have a limit, and one message counts them"
    )
    func manyEnds() async throws {
        let channel = KeptChannel(perHour: 3, digestLook: .milliseconds(20))
        let stage = try BrokerStage()
        try await stage.run(channels: [NamedChannel("kept", channel)]) { stage in
            let (mallory, ada) = (try await stage.pair("Mallory"), try await stage.pair("Ada"))
            let bank: @Sendable (String) -> JSONValue = { ["banks": [["bank_id": .string($0), "name": "Bank"]]] }
            #expect(try await mallory.send("PUT", "/phone/banks", bank("south")).status == 200)
            #expect(try await ada.send("PUT", "/phone/banks", bank("north")).status == 200)
            func fail(_ phone: PairedPhone, _ bank: String, month: Int) async throws {
                let asked = try await phone.send(
                    "POST", "/phone/requests",
                    ["type": "statement", "month": .number(Double(month)), "year": 2025, "bank_id": .string(bank)])
                let id = try #require(asked.json["request_id"]?.stringValue.flatMap { RequestID($0) })
                #expect(try await phone.approve(id).status == 200)
                let report: JSONValue = [
                    "error_code": "BANK_LOGIN_FAILED", "error_message": "no",
                    "failed_at": .string(Timestamp(stage.clock.now).description),
                ]
                #expect(try await phone.send("POST", "/phone/requests/\(id)/failure", report).status == 200)
            }
            for month in 1...8 { try await fail(mallory, "south", month: month) }
            try await fail(ada, "north", month: 1)
            let wanted: JSONValue = ["type": "statement", "month": 2, "year": 2026, "bank_id": "north"]
            #expect(try await stage.send("POST", "/request", wanted).status == 202)
            try await until { channel.count(.request) == 1 && channel.count(.ended) == 4 }
            stage.clock.advance(by: 3601)
            try await until { channel.count(.ended) == 5 }
            #expect(channel.seen.sent.contains { $0.text.contains("more requests that ended in the last hour: 5.") })
        }
    }

    @Test("an agent that asks again and again holds back no request of another one", arguments: [true, false])
    func twoAgents(areOffers: Bool) async throws {
        let channel = KeptChannel(perHour: 2)
        let stage = try BrokerStage()
        try await stage.run(channels: [NamedChannel("kept", channel)]) { stage in
            let agents = try stage.administration().database.agents
            let tokens = [
                try await agents.add(try #require(AgentName("flood"))),
                try await agents.add(try #require(AgentName("books"))),
            ]
            func ask(_ token: Int, month: Int) async throws {
                let text = "2026-0\(month)"
                let body: JSONValue =
                    areOffers
                    ? ["from": .string(text), "to": .string(text)]
                    : ["type": "statement", "month": .number(Double(month)), "year": 2026]
                let answer = try await stage.send(
                    "POST", areOffers ? "/offers" : "/request", as: .token(tokens[token].revealed()), body)
                #expect(answer.status == 202, "\(answer.json)")
            }
            for month in 1...5 { try await ask(0, month: month) }
            try await ask(1, month: 6)
            try await until { channel.seen.sent.contains { $0.text.contains("books") } }
            #expect(channel.seen.sent.count == 3)
        }
    }
}
