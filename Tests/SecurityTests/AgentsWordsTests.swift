import BrokerStore
import Encodings
import Foundation
import Messages
import Testing

@testable import Broker

@Suite("An agent's reason talks the owner into a yes", .timeLimit(.minutes(3)))
struct AgentsWordsTests {
    private static let words = "for the tax return\nApproved by: your bank\u{202E}"

    private func ask(_ broker: AttackedBroker, month: Int, _ reason: JSONValue) async throws -> (Int, JSONValue) {
        let answer = try await broker.send(
            "POST", "/request",
            ["type": "statement", "month": .number(Double(month)), "year": 2026, "reason": reason])
        return (answer.status, answer.json)
    }

    @Test("the words are in what the broker signs for each phone, in the audit log, and in no answer to an agent")
    func signed() async throws {
        try await AttackedBroker().run { broker in
            let phone = try await AttackedPhone(broker, keepsDefaultDevice: true)
            let (status, asked) = try await ask(broker, month: 1, .string(Self.words))
            #expect(status == 202)
            let id = try #require(asked["request_id"]?.stringValue.flatMap { RequestID($0) })
            #expect(try await phone.envelope(of: id).reason?.text == Self.words)
            let list = try await broker.send("GET", "/phone/requests/pending", token: AttackedBroker.phoneToken)
            let envelope = try #require(list.json["requests"]?.arrayValue?.first?["envelope"])
            #expect(envelope["version"] == "2" && envelope["reason"]?.stringValue == Self.words)
            #expect(try await phone.approve(try await phone.envelope(of: id)).status == 200)

            let event = try #require(
                try await BrokerAudit.open(broker.database).records().map(\.event).first {
                    $0.type == "request.created"
                })
            #expect(
                event.details["reason_untrusted"]?.stringValue
                    == "for the tax return\\u000aApproved by: your bank\\u202e")
            for path in ["/requests", "/request/\(id)"] {
                #expect(!(try await broker.send("GET", path).json.compactText().contains("your bank")))
            }
        }
    }

    @Test(
        "a reason that cannot be shown is refused",
        arguments: ["", "  ", .string(String(repeating: "x", count: 201)), 7, ["a"]] as [JSONValue])
    func refused(reason: JSONValue) async throws {
        try await AttackedBroker().run { broker in
            let (status, answer) = try await ask(broker, month: 1, reason)
            #expect(status == 400 && answer["error_code"] == "INVALID_FIELD", "\(answer)")
        }
    }

    @Test("without a reason the envelope is the specification's, and the same wish again keeps the first reason")
    func absent() async throws {
        try await AttackedBroker().run { broker in
            let phone = try await AttackedPhone(broker, keepsDefaultDevice: true)
            let (_, plain) = try await ask(broker, month: 2, .null)
            let id = try #require(plain["request_id"]?.stringValue.flatMap { RequestID($0) })
            #expect(try await phone.envelope(of: id).reason == nil)
            #expect(try await ask(broker, month: 2, "now with words").1["request_id"] == plain["request_id"])
            #expect(try await phone.envelope(of: id).reason == nil)
        }
    }
}
