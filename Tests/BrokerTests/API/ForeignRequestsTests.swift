import BrokerStore
import Encodings
import Foundation
import Messages
import TestParties
import Testing

@testable import Broker

/// Each route by which an agent reaches a request, a document or an offer by its id, tried by every agent.
@Suite("Another agent's requests", .timeLimit(.minutes(4)))
struct ForeignRequestsTests {
    /// The caller of a route.
    enum Caller: CaseIterable, Sendable {
        case asker
        /// Asked for the same while it waited.
        case second
        case stranger
        /// Holds `BROKER_API_TOKEN`: the agent of the specification.
        case standard
    }

    struct Route: Sendable {
        let method: String
        let path: @Sendable (RequestID) -> String
        /// The status for each caller, of a request that waits and then of one that is complete.
        let waiting: [Caller: Int]
        let complete: [Caller: Int]
    }

    private static let routes: [Route] = [
        Route(
            method: "GET", path: { "/request/\($0)" },
            waiting: [.asker: 202, .second: 202, .stranger: 404, .standard: 202],
            complete: [.asker: 200, .second: 200, .stranger: 404, .standard: 200]),
        Route(
            method: "GET", path: { "/request/\($0)?wait=1" },
            waiting: [.stranger: 404], complete: [.asker: 200, .second: 200, .stranger: 404, .standard: 200]),
        Route(
            method: "GET", path: { "/request/\($0)?own=1" },
            waiting: [.asker: 202, .second: 202, .stranger: 404, .standard: 404],
            complete: [.asker: 200, .second: 200, .stranger: 404, .standard: 404]),
        Route(
            method: "GET", path: { "/request/\($0)/receipt" },
            waiting: [.asker: 409, .second: 404, .stranger: 404, .standard: 404],
            complete: [.asker: 200, .second: 404, .stranger: 404, .standard: 404]),
        Route(
            method: "DELETE", path: { "/request/\($0)" },
            waiting: [.asker: 409, .second: 409, .stranger: 404, .standard: 404],
            complete: [.asker: 409, .second: 409, .stranger: 404, .standard: 404]),
    ]

    @Test("do not exist for an agent that did not ask for them, on any route")
    func routes() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let parties = try await Self.parties(stage)
            let id = try await Self.ask(stage, parties)
            try await Self.check(stage, parties, id) { $0.waiting }
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id)
            #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
            try await Self.check(stage, parties, id) { $0.complete }
        }
    }

    @Test("are in the lists of those who asked alone; the list of BROKER_API_TOKEN has all")
    func list() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let parties = try await Self.parties(stage)
            let id = try await Self.ask(stage, parties)
            let own = try await stage.request(month: 5)
            for caller in Caller.allCases {
                let party = try #require(parties[caller])
                let answer = try await stage.send("GET", "/requests?limit=1", as: party)
                var seen = answer.json["requests"]?.arrayValue?.compactMap { $0["request_id"]?.stringValue } ?? []
                if let next = answer.json["next_cursor"]?.stringValue {
                    let rest = try await stage.send("GET", "/requests?cursor=\(next)", as: party)
                    seen += rest.json["requests"]?.arrayValue?.compactMap { $0["request_id"]?.stringValue } ?? []
                }
                let expected: Set<String> =
                    switch caller {
                    case .asker, .second: [id.description]
                    case .stranger: []
                    case .standard: [id.description, own.description]
                    }
                #expect(Set(seen) == expected && seen.count == expected.count, "\(caller)")
            }
        }
    }

    private static func parties(_ stage: BrokerStage) async throws -> [Caller: BrokerStage.Party] {
        var parties: [Caller: BrokerStage.Party] = [.standard: .agent]
        for (caller, name) in [(Caller.asker, "books"), (.second, "taxes"), (.stranger, "other")] {
            let token = try await stage.administration().agents.add(try #require(AgentName(name)))
            parties[caller] = .token(token.revealed())
        }
        return parties
    }

    /// Asks for a month, first as one agent and then as another.
    private static func ask(_ stage: BrokerStage, _ parties: [Caller: BrokerStage.Party]) async throws -> RequestID {
        var ids: Set<RequestID> = []
        for caller in [Caller.asker, .second] {
            let answer = try await stage.send(
                "POST", "/request", as: try #require(parties[caller]),
                ["type": "statement", "month": 1, "year": 2026])
            ids.insert(try #require(answer.json["request_id"]?.stringValue.flatMap { RequestID($0) }))
        }
        #expect(ids.count == 1, "the second is folded into the first")
        return try #require(ids.first)
    }

    private static func check(
        _ stage: BrokerStage, _ parties: [Caller: BrokerStage.Party], _ id: RequestID,
        _ expected: (Route) -> [Caller: Int]
    ) async throws {
        for route in routes {
            for (caller, status) in expected(route) {
                let answer = try await stage.send(route.method, route.path(id), as: try #require(parties[caller]))
                #expect(answer.status == status, "\(caller): \(route.method) \(route.path(id))")
                guard status == 404 else { continue }
                let unknown = try await stage.send(
                    route.method, route.path(RequestID()), as: try #require(parties[caller]))
                #expect(answer.json == unknown.json, "a foreign request answers as an unknown one")
            }
        }
    }
}
