import Clocks
import Encodings
import Messages
import TestParties
import Testing

@testable import Broker

@Suite("The name of an approval")
struct DecisionNameTests {
    private func body(_ json: JSONValue) throws -> [UInt8] { try json.canonicalBytes() }

    @Test("is repeated to the machine that comes second, and its reports are refused")
    func second() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            let (first, second) = (Nonce(), Nonce())
            let now = Timestamp(stage.clock.now)
            func decide(_ name: Nonce) async throws -> (status: Int, json: JSONValue) {
                let decision = DecisionBody(.approve, at: now, id: name).json
                let answer = try await stage.send(
                    "POST", "/phone/requests/\(id)/decision", as: .phone, body: try body(decision))
                return (answer.status, answer.json)
            }
            let accepted = try await decide(first)
            #expect(accepted.status == 200)
            #expect(accepted.json["decision_id"] == .string(first.description))
            let refused = try await decide(second)
            #expect(refused.status == 409)
            #expect(refused.json["status"] == "APPROVED")
            #expect(refused.json["decision_id"] == .string(first.description))

            func report(_ action: String, _ json: JSONValue) async throws -> Int {
                try await stage.send("POST", "/phone/requests/\(id)/\(action)", as: .phone, body: try body(json)).status
            }
            let failure = FailureBody(code: .navigationFailed, message: nil, failedAt: now, decisionID: second)
            #expect(try await report("started", StartedBody(startedAt: now, decisionID: second).json) == 403)
            #expect(try await report("failure", failure.json) == 403)
            #expect(try await report("started", StartedBody(startedAt: now, decisionID: first).json) == 200)
            // A phone of an earlier version names nothing.
            #expect(try await report("failure", ["error_code": "BANK_ON_HOLD", "failed_at": .string("\(now)")]) == 200)
        }
    }
}
