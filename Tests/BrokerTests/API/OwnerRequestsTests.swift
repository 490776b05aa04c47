import BrokerStore
import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import TestParties
import Testing

@testable import Broker

@Suite("What the owner asks for at the phone", .timeLimit(.minutes(4)))
struct OwnerRequestsTests {
    private static let statement: JSONValue = ["type": "statement", "month": 1, "year": 2026, "bank_id": "plain"]
    private static let months: JSONValue = [
        "type": "documents", "from": "2026-01", "to": "2026-02", "bank_id": "default",
    ]

    private static func tellBanks(_ stage: BrokerStage) async throws {
        let list: JSONValue = [
            "banks": [
                ["bank_id": "default", "name": "Meridian Savings", "documents": true, "kinds": ["pdf", "csv"]],
                ["bank_id": "plain", "name": "Plain Bank"],
            ]
        ]
        #expect(try await stage.send("PUT", "/phone/banks", as: .phone, list).status == 200)
    }

    private static func pending(_ stage: BrokerStage) async throws -> [JSONValue] {
        let answer = try await stage.send("GET", "/phone/requests/pending", as: .phone)
        return answer.json["requests"]?.arrayValue?.compactMap { $0["envelope"] } ?? []
    }

    @Test("is signed with the owner's name, and waits for an approval as any other", arguments: [statement, months])
    func asked(body: JSONValue) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let answer = try await stage.send("POST", "/phone/requests", as: .phone, body)
            #expect(answer.status == 202 && answer.json["status"] == "PENDING_APPROVAL", "\(answer.json)")
            let envelope = try #require(try await Self.pending(stage).first)
            #expect(envelope["request_id"] == answer.json["request_id"])
            let signed = try SignedEnvelope(json: envelope).verified(with: stage.secret, at: stage.clock.now)
            #expect(signed.envelope.client == .owner && signed.envelope.bankID == body["bank_id"]?.stringValue)
            // The same again is the one that waits.
            let again = try await stage.send("POST", "/phone/requests", as: .phone, body)
            #expect(again.json["request_id"] == answer.json["request_id"])
            #expect(try await Self.pending(stage).count == 1)
        }
    }

    @Test("is refused with a reason that the phone can show")
    func refused() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let cases: [(JSONValue, String)] = [
                (["type": "statement", "month": 1, "year": 2026, "bank_id": "other"], "the banks are default, plain"),
                (
                    ["type": "statement", "month": 1, "year": 2026, "bank_id": "plian"],
                    "“plian”, which no phone has; did you mean plain? The banks are default, plain"
                ),
                (
                    ["type": "statement", "month": 1, "year": 2026, "bank_id": "meridian"],
                    "did you mean default?"
                ),
                (["type": "statement", "month": 1, "year": 2099, "bank_id": "plain"], "in the future"),
                (
                    ["type": "documents", "from": "2026-01", "to": "2026-02", "bank_id": "plain"],
                    "one statement in a visit"
                ),
                (
                    ["type": "documents", "from": "2026-01", "to": "2026-02", "bank_id": "default", "kinds": ["camt"]],
                    "not offered by “default”"
                ),
            ]
            for (body, words) in cases {
                let answer = try await stage.send("POST", "/phone/requests", as: .phone, body)
                #expect(answer.status == 400 || answer.status == 409, "\(answer.json)")
                #expect(answer.json["error_message"]?.stringValue?.contains(words) == true, "\(answer.json)")
            }
            #expect(try await stage.send("POST", "/phone/requests", Self.statement).status == 401, "an agent's token")
            #expect(try await Self.pending(stage).isEmpty)
        }
    }

    @Test("no agent gets the owner's name, and one that had it before keeps the owner from asking")
    func name() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let agents = try stage.administration().agents
            await #expect(throws: AgentNameError.self) { _ = try await agents.add(.owner) }
            let books = try #require(AgentName("books"))
            _ = try await agents.add(books)
            // As an earlier version left it.
            try await DatabaseQueue(path: stage.database.path).write { db in
                try db.execute(sql: "UPDATE agents SET name = 'owner' WHERE name = 'books'")
            }
            let answer = try await stage.send("POST", "/phone/requests", as: .phone, Self.statement)
            #expect(answer.status == 409)
            #expect(answer.json["error_message"]?.stringValue?.contains("countersign agent remove owner") == true)
        }
    }

    @Test(
        "a request that failed, expired or was denied is repeated for its agent; another is not",
        arguments: ["fail", "expire", "deny"])
    func again(end: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let first = try await stage.request(month: 2)
            let early = try await stage.send("POST", "/phone/requests/\(first)/again", as: .phone, body: [])
            #expect(
                early.status == 409 && early.json["error_message"]?.stringValue?.contains("PENDING_APPROVAL") == true)
            switch end {
            case "deny": _ = try await stage.decide(first, "DENY")
            case "expire": stage.clock.advance(by: 3600)
            default:
                _ = try await stage.decide(first, "APPROVE")
                let report: JSONValue = [
                    "error_code": "NAVIGATION_FAILED", "error_message": "the row was not there",
                    "failed_at": .string(Timestamp(stage.clock.now).description),
                ]
                #expect(
                    try await stage.send("POST", "/phone/requests/\(first)/failure", as: .phone, report).status == 200)
            }
            let answer = try await stage.send("POST", "/phone/requests/\(first)/again", as: .phone, body: [])
            #expect(
                answer.status == 202 && answer.json["request_id"]?.stringValue != first.description, "\(answer.json)")
            let envelope = try #require(try await Self.pending(stage).first)
            #expect(envelope["request_id"] == answer.json["request_id"])
            #expect(envelope["client"] == nil, "the agent of the broker's token asked")
            let expected: JSONValue = ["month": 2, "year": 2026]
            #expect(envelope["params"] == expected)
            #expect(
                try await stage.send("POST", "/phone/requests/\(RequestID())/again", as: .phone, body: []).status == 404
            )
        }
    }
}
