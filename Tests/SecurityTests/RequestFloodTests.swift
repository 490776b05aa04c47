import Encodings
import Foundation
import Messages
import Testing

@testable import Broker

@Suite("An agent floods the owner with requests", .timeLimit(.minutes(3)))
struct RequestFloodTests {
    @Test("the eleventh undecided request of one agent is refused, and a decision makes room")
    func eleventh() async throws {
        try await AttackedBroker().run { broker in
            var first: JSONValue?
            for month in 1...10 {
                let answer = try await broker.ask(month: month)
                #expect(answer.status == 202)
                first = first ?? answer.json["request_id"]
            }
            let refused = try await broker.ask(month: 11)
            #expect(refused.status == 429 && refused.json["error_code"] == "RATE_LIMITED", "\(refused)")
            let id = try #require(first?.stringValue)
            let denial: JSONValue = ["decision": "DENY", "decided_at": .string("\(Date().ISO8601Format())")]
            _ = try await broker.send(
                "POST", "/phone/requests/\(id)/decision", token: AttackedBroker.phoneToken, denial)
            #expect(try await broker.ask(month: 11).status == 202)
        }
    }

    @Test("the limit counts what waits, not what ran out of time")
    func expired() async throws {
        try await AttackedBroker().run { broker in
            for month in 1...10 { _ = try await broker.ask(month: month) }
            broker.advance(by: 301)
            #expect(try await broker.ask(month: 11).status == 202)
        }
    }

    @Test("asking a hundred times for one month makes one card")
    func folded() async throws {
        try await AttackedBroker().run { broker in
            var ids: Set<String> = []
            for number in 0..<100 {
                let answer = try await broker.ask(key: number.isMultiple(of: 2) ? "key \(number)" : nil)
                #expect(answer.status == 202)
                ids.insert(answer.json["request_id"]?.stringValue ?? "")
            }
            #expect(ids.count == 1)
            let cards = try await broker.send("GET", "/phone/requests/pending", token: AttackedBroker.phoneToken)
            #expect(cards.json["requests"]?.arrayValue?.count == 1)
            // A name that was answered with the waiting request keeps naming it.
            #expect(try await broker.ask(month: 2, key: "key 2").status == 409)
        }
    }

    @Test("an agent cannot fill the database with names for one waiting request, nor use up those of another agent")
    func names() async throws {
        try await AttackedBroker().run { broker in
            let token = try await broker.administration().agents.add(try #require(AgentName("quiet"))).revealed()
            for number in 1...64 { #expect(try await broker.ask(key: "name \(number)").status == 202) }
            let refused = try await broker.ask(key: "name 65")
            #expect(refused.status == 429 && refused.json["error_code"] == "RATE_LIMITED", "\(refused)")
            #expect(try await broker.ask(key: "name 64").status == 202, "a name that is known is answered")
            #expect(try await broker.ask().status == 202, "asking without a name stores nothing")
            #expect(try await broker.ask(key: "name 65", token: token).status == 202)
        }
    }

    @Test("each agent has a limit of its own, so one agent cannot shut another out")
    func agents() async throws {
        try await AttackedBroker().run { broker in
            let token = try await broker.administration().agents.add(try #require(AgentName("quiet"))).revealed()
            for month in 1...10 { _ = try await broker.ask(month: month) }
            #expect(try await broker.ask(month: 11).status == 429)
            #expect(try await broker.ask(month: 11, token: token).status == 202)
        }
    }
}
