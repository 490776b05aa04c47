import Clocks
import DeviceTrust
import Encodings
import Foundation
import Messages
import TestParties
import Testing

@testable import Broker

@Suite("What the owner's policy allows an agent", .timeLimit(.minutes(4)))
struct AgentLimitsTests {
    private static let yaml = """
        version: 1
        rules:
          - bank: "*"
            agent: tax
            require: [passkey]
            reason: this agent is new
        agents:
          - agent: "*"
            banks: [default, plain]
          - agent: [tax, books]
            kinds: [pdf]
            months_back: 5
            per_day: 2
        """

    @Test("a request beyond it is refused with what is allowed, and an offer, too")
    func refused() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.policy = try ApprovalPolicy(yaml: Self.yaml)
        try await stage.run(configuration) { stage in
            let phone = try await stage.pair()
            let tax = BrokerStage.Party.token(
                try await stage.administration().agents.add(try #require(AgentName("tax"))).revealed())
            // At the end of a month, the next one has begun somewhere on Earth; all of these are within the months at any time.
            let month = try #require(MonthYear.current(at: stage.clock.now, in: .gmt).previous)
            func body(_ month: MonthYear) -> JSONValue {
                ["type": "statement", "month": .number(Double(month.month)), "year": .number(Double(month.year))]
            }
            let old = try await stage.send("POST", "/request", as: tax, body(try #require(MonthYear("2020-01"))))
            #expect(old.status == 403 && old.json["error_code"] == "AGENT_NOT_ALLOWED", "\(old.json)")
            #expect(
                old.json["error_message"]?.stringValue?.hasPrefix(
                    "the owner's policy does not allow the agent “tax” 2020-01; it allows 5 months before") == true)
            // The usual agent has no such limit.
            #expect(try await stage.send("POST", "/request", body(try #require(MonthYear("2020-01")))).status == 202)
            let offer = try await stage.send("POST", "/offers", as: tax, ["from": "2020-01", "to": "2020-01"])
            #expect(offer.status == 403 && offer.json["error_code"] == "AGENT_NOT_ALLOWED", "\(offer.json)")

            let first = try await stage.send("POST", "/request", as: tax, body(month))
            #expect(first.status == 202, "\(first.json)")
            let id = try #require(first.json["request_id"]?.stringValue.flatMap { RequestID($0) })
            #expect(try await phone.approve(id).json["error_code"] == "FACTOR_MISSING", "the rule names the agent")
            #expect(try await phone.approve(id, verifiedBy: [.passkey]).status == 200)
            #expect(try await stage.send("POST", "/request", as: tax, body(try #require(month.previous))).status == 202)
            let third = try await stage.send(
                "POST", "/request", as: tax, body(try #require(month.previous?.previous)))
            #expect(third.status == 429 && third.head.header("retry-after") != nil, "\(third.json)")
            #expect(third.json["error_message"]?.stringValue?.contains("2 requests within 24 hours") == true)
            stage.clock.advance(by: 24 * 3600 + 1)
            #expect(
                try await stage.send("POST", "/request", as: tax, body(try #require(month.previous?.previous))).status
                    == 202)
        }
    }

    @Test("an agent that joins a request that waits adds its own needs")
    func joined() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.policy = try ApprovalPolicy(yaml: Self.yaml)
        try await stage.run(configuration) { stage in
            let phone = try await stage.pair()
            let tax = BrokerStage.Party.token(
                try await stage.administration().agents.add(try #require(AgentName("tax"))).revealed())
            let month = try #require(MonthYear.current(at: stage.clock.now, in: .gmt).previous)
            let id = try await stage.request(month: month.month, year: month.year)
            #expect(try Requirement.read(try #require(try await phone.entry(of: id)["requirement"])).requirement.isNone)
            let body: JSONValue = [
                "type": "statement", "month": .number(Double(month.month)), "year": .number(Double(month.year)),
            ]
            let joined = try await stage.send("POST", "/request", as: tax, body)
            #expect(joined.json["request_id"]?.stringValue == id.description)
            let needs = try Requirement.read(try #require(try await phone.entry(of: id)["requirement"])).requirement
            #expect(needs.factors == [.passkey] && needs.reasons == ["this agent is new"])
            #expect(try await phone.approve(id).json["error_code"] == "FACTOR_MISSING")
            #expect(try await phone.approve(id, verifiedBy: [.passkey]).status == 200)
        }
    }
}
