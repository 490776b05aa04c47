import BrokerStore
import Clocks
import Encodings
import Foundation
import Messages
import TestParties
import Testing

@testable import Broker

@Suite("Offers at the broker", .timeLimit(.minutes(4)))
struct OffersAPITests {
    private static let offer: JSONValue = ["from": "2026-01", "to": "2026-02", "kinds": ["pdf", "csv"]]

    /// Lets the default device tell of a bank with several documents in a visit.
    private static func tellBanks(_ stage: BrokerStage, accounts: [JSONValue] = []) async throws {
        var bank: [String: JSONValue] = [
            "bank_id": "default", "name": "Meridian Savings", "documents": true, "kinds": ["pdf", "csv"],
        ]
        if !accounts.isEmpty { bank["accounts"] = .array(accounts) }
        let plain: JSONValue = ["bank_id": "plain", "name": "Plain Bank"]
        let answer = try await stage.send(
            "PUT", "/phone/banks", as: .phone, ["banks": [.object(bank), plain]])
        #expect(answer.status == 200)
    }

    private static func made(_ stage: BrokerStage, _ body: JSONValue = offer) async throws -> String {
        let answer = try await stage.send("POST", "/offers", body)
        #expect(answer.status == 202, "\(answer.json)")
        return try #require(answer.json["offer_id"]?.stringValue)
    }

    private static func opened(_ stage: BrokerStage, _ id: String) async throws -> RequestID {
        let answer = try await stage.send("POST", "/phone/offers/\(id)/open", as: .phone, body: [])
        #expect(answer.status == 200 && answer.json["status"] == "OPENED", "\(answer.json)")
        return try #require(answer.json["request_id"]?.stringValue.flatMap { RequestID($0) })
    }

    private static func listed(_ stage: BrokerStage) async throws -> [JSONValue] {
        let answer = try await stage.send("GET", "/phone/offers", as: .phone)
        #expect(answer.status == 200)
        return answer.json["offers"]?.arrayValue ?? []
    }

    @Test("wait for weeks; opening makes a fresh request, which ends the waiting once it is complete")
    func opening() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let id = try await Self.made(stage)
            #expect(try await Self.made(stage) == id, "the same offer again is the one that waits")
            stage.clock.advance(by: 40 * 86_400)
            let list = try await Self.listed(stage)
            #expect(list.map { $0["offer_id"]?.stringValue } == [id])
            #expect(list[0]["status"] == "WAITING" && list[0]["scheduled"] == false && list[0]["agent"] == "default")
            #expect(try await stage.send("GET", "/phone/requests/pending", as: .phone).json["requests"] == [])

            let request = try await Self.opened(stage, id)
            let pending = try await stage.send("GET", "/phone/requests/pending", as: .phone).json["requests"]
            let envelope = try #require(pending?.arrayValue?.first?["envelope"])
            let expected: JSONValue = ["periods": ["2026-01", "2026-02"], "kinds": ["csv", "pdf"]]
            #expect(envelope["request_id"]?.stringValue == request.description && envelope["params"] == expected)
            let signed = try SignedEnvelope(json: envelope).verified(with: stage.secret, at: stage.clock.now)
            #expect(signed.envelope.issuedAt.date > stage.clock.now.addingTimeInterval(-60), "it is fresh")
            #expect(try await Self.listed(stage).isEmpty, "while its request is under way it does not wait")
            #expect(try await Self.opened(stage, id) == request, "opening it again makes no second request")
            let own = try await stage.send("GET", "/offers").json["offers"]?.arrayValue?.first
            #expect(own?["status"] == "OPENED" && own?["request_id"]?.stringValue == request.description)
            #expect(
                try await stage.audited().filter { $0.hasPrefix("offer.") } == ["offer.made", "offer.opened"])
        }
    }

    @Test("whose request has expired wait again, and make another request when they are opened again")
    func reopened() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let id = try await Self.made(stage)
            let first = try await Self.opened(stage, id)
            stage.clock.advance(by: 301)
            #expect(try await stage.status(first) == "EXPIRED")
            #expect(try await Self.listed(stage).map { $0["status"] } == ["WAITING"])
            let second = try await Self.opened(stage, id)
            #expect(second != first)
            #expect(try await stage.status(second) == "PENDING_APPROVAL")

            #expect(try await stage.decide(second, "DENY").status == 200)
            #expect(try await Self.listed(stage).isEmpty, "the owner said no to it")
            let again = try await stage.send("POST", "/phone/offers/\(id)/open", as: .phone, body: [])
            #expect(again.status == 409 && again.json["error_message"]?.stringValue?.contains("DISMISSED") == true)
        }
    }

    @Test("whose request has failed wait again")
    func failed() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let id = try await Self.made(stage)
            let request = try await Self.opened(stage, id)
            #expect(try await stage.decide(request, "APPROVE").status == 200)
            #expect(try await Self.listed(stage).isEmpty)
            let report = FailureBody(
                code: .navigationFailed, message: nil, failedAt: Timestamp(stage.clock.now), decisionID: nil)
            #expect(
                try await stage.send("POST", "/phone/requests/\(request)/failure", as: .phone, report.json).status
                    == 200)
            #expect(try await Self.listed(stage).count == 1)
            #expect(try await Self.opened(stage, id) != request)
        }
    }

    @Test("of a bank that gives one statement in a visit become a request for the statement")
    func statement() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let id = try await Self.made(stage, ["from": "2026-03", "to": "2026-03", "bank_id": "plain"])
            let request = try await Self.opened(stage, id)
            #expect(try stage.column("request_type", of: request) == "statement")
            let several = try await stage.send(
                "POST", "/offers", ["from": "2026-01", "to": "2026-02", "bank_id": "plain"])
            #expect(several.status == 400)
            #expect(several.json["error_message"]?.stringValue?.contains("one statement in a visit") == true)
        }
    }

    @Test("can be dismissed by the owner and taken back by their agent, and by no other")
    func ended() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let token = try await stage.administration().agents.add(try #require(AgentName("books")))
            let dismissed = try await Self.made(stage)
            let answer = try await stage.send("POST", "/phone/offers/\(dismissed)/dismiss", as: .phone, body: [])
            #expect(answer.status == 200 && answer.json["status"] == "DISMISSED")
            for action in ["open", "dismiss"] {
                #expect(
                    try await stage.send("POST", "/phone/offers/\(dismissed)/\(action)", as: .phone, body: []).status
                        == 409)
            }
            let mine = try await Self.made(stage)
            #expect(mine != dismissed, "a dismissed offer can be made anew")
            let books = BrokerStage.Party.token(token.revealed())
            #expect(try await stage.send("DELETE", "/offers/\(mine)", as: books).status == 404)
            #expect(try await stage.send("GET", "/offers", as: books).json == ["offers": []])
            let taken = try await stage.send("DELETE", "/offers/\(mine)")
            #expect(taken.status == 200 && taken.json["status"] == "WITHDRAWN")
            #expect(try await stage.send("DELETE", "/offers/\(mine)").status == 409)
            #expect(try await Self.listed(stage).isEmpty)
            #expect(try await stage.send("DELETE", "/offers/\(OfferID())").status == 404)
            #expect(try await stage.send("DELETE", "/offers/not-an-id").status == 404)
            #expect(try await stage.send("GET", "/offers", as: .phone).status == 401)
            #expect(try await stage.send("GET", "/phone/offers").status == 401)
        }
    }

    @Test("of a schedule cannot be taken back by an agent, and leave room for its own")
    func scheduled() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.waitingOffersPerAgent = 1
        try await stage.run(configuration) { stage in
            try await Self.tellBanks(stage)
            let owner = try BrokerAdministration(environment: ["BROKER_DATABASE_PATH": stage.database.path])
            _ = try await owner.schedules.add(bankID: "default", try Recurrence("monthly 3 08:00 UTC"))
            stage.clock.advance(by: 40 * 86_400)
            // The broker looks at its schedules every few seconds.
            while try await Self.listed(stage).isEmpty { try await Task.sleep(for: .milliseconds(50)) }
            let offer = try #require(try await Self.listed(stage).first?["offer_id"]?.stringValue)
            #expect(try await stage.send("DELETE", "/offers/\(offer)").status == 409)
            #expect(try await Self.listed(stage).count == 1)
            _ = try await Self.made(stage)
        }
    }

    @Test("of one agent are limited, and those of another go on")
    func limited() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.waitingOffersPerAgent = 3
        try await stage.run(configuration) { stage in
            try await Self.tellBanks(stage)
            let token = try await stage.administration().agents.add(try #require(AgentName("books")))
            for month in 1...3 {
                _ = try await Self.made(stage, ["from": .string("2025-0\(month)"), "to": .string("2025-0\(month)")])
            }
            let fourth = try await stage.send("POST", "/offers", ["from": "2025-04", "to": "2025-04"])
            #expect(fourth.status == 409, "\(fourth.json)")
            #expect(fourth.json["error_message"]?.stringValue?.contains("3 offers of this agent wait") == true)
            let other = try await stage.send(
                "POST", "/offers", as: .token(token.revealed()), ["from": "2025-04", "to": "2025-04"])
            #expect(other.status == 202)
            #expect(try await Self.listed(stage).count == 4)
            // The request of an opened offer bears the name of its agent.
            let id = try #require(other.json["offer_id"]?.stringValue)
            let request = try await Self.opened(stage, id)
            #expect(try stage.column("agent", of: request) == "books")
        }
    }

    @Test("end with their time, and survive a restart until then")
    func lasting() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            _ = try await Self.made(stage)
        }
        stage.clock.advance(by: 89 * 86_400)
        try await stage.run { stage in
            let waiting = try await Self.listed(stage)
            #expect(waiting.count == 1)
        }
        stage.clock.advance(by: 2 * 86_400)
        try await stage.run { stage in
            let id = try #require(
                try await stage.send("GET", "/offers").json["offers"]?.arrayValue?.first?["offer_id"]?.stringValue)
            #expect(try await Self.listed(stage).isEmpty)
            let late = try await stage.send("POST", "/phone/offers/\(id)/open", as: .phone, body: [])
            #expect(late.status == 409 && late.json["error_message"]?.stringValue?.contains("EXPIRED") == true)
        }
    }

    @Test("that cannot be had any more say so when they are opened")
    func gone() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage, accounts: ["Savings", "Giro"])
            let id = try await Self.made(
                stage, ["from": "2026-01", "to": "2026-01", "account": "Savings", "kinds": ["csv"]])
            try await Self.tellBanks(stage, accounts: ["Savings"])
            _ = try await stage.send(
                "PUT", "/phone/banks", as: .phone,
                [
                    "banks": [
                        ["bank_id": "default", "name": "Meridian", "documents": true, "accounts": ["Savings"]]
                    ]
                ])
            let answer = try await stage.send("POST", "/phone/offers/\(id)/open", as: .phone, body: [])
            #expect(answer.status == 409, "\(answer.json)")
            #expect(answer.json["error_message"]?.stringValue?.contains("it offers pdf") == true, "\(answer.json)")
            #expect(try await Self.listed(stage).count == 1, "it waits on")
        }
    }

    @Test("are removed with the retention, except those that can be opened again")
    func retention() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.tellBanks(stage)
            let open = try await Self.made(stage)
            let request = try await Self.opened(stage, open)
            let gone = try await Self.made(stage, ["from": "2025-05", "to": "2025-05"])
            _ = try await stage.send("POST", "/phone/offers/\(gone)/dismiss", as: .phone, body: [])
            stage.clock.advance(by: 20 * 86_400)
            #expect(try await stage.status(request) == "EXPIRED")
            let database = try stage.administration().database
            let end = stage.clock.now.addingTimeInterval(86_400)
            #expect(try await database.requests.removeEnded(before: end) == 1)
            try await database.offers.removeEnded(before: end)
            let left = try await stage.send("GET", "/offers").json["offers"]?.arrayValue ?? []
            #expect(left.map { $0["offer_id"]?.stringValue } == [open])
            #expect(left.first?["status"] == "WAITING" && left.first?["request_id"] == nil)
            _ = try await Self.opened(stage, open)
        }
    }
}
