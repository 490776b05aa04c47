import BrokerStore
import Clocks
import Encodings
import Foundation
import Messages
import Secrets
import Signer
import TestParties
import Testing

@testable import Broker

@Suite("POST /proof", .timeLimit(.minutes(3)))
struct TokenProofAPITests {
    private func ask(
        _ stage: BrokerStage, about token: String, _ nonce: Nonce = Nonce()
    ) async throws -> (status: Int, json: JSONValue) {
        let body = TokenCheck(tokenID: TokenProof(token: Secret(token)).tokenID, nonce: nonce).json
        let answer = try await stage.exchange("POST", "/proof", as: .nobody, body: body.compactBytes())
        return (answer.status, try JSONReader.read(answer.body))
    }

    @Test(
        "proves that the broker knows the tokens of the agents and of the default phone, over the connection it was asked on"
    )
    func proofs() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let name = try #require(AgentName("bookkeeping"))
            let agents = try BrokerDatabase(administering: stage.database, clock: BrokerClock()).agents
            let named = try await agents.add(name).revealed()
            let port = try #require(stage.port)
            for token in [BrokerStage.agentToken, BrokerStage.phoneToken, named] {
                let nonce = Nonce()
                let (status, json) = try await ask(stage, about: token, nonce)
                #expect(status == 200)
                let answer = try #require(TokenCheckAnswer(json: json))
                #expect(answer.address == "127.0.0.1:\(port)")
                #expect(answer.client.wholeMatch(of: /127\.0\.0\.1:[0-9]+/) != nil && answer.client != answer.address)
                #expect(
                    TokenProof(token: Secret(token))
                        .isValid(answer.proof, of: nonce, at: answer.address, for: answer.client))
            }
            try await agents.remove(name)
            #expect(try await ask(stage, about: named).status == 401)
        }
    }

    @Test("answers 401 for a token that it does not know, and 400 for what is not a question")
    func refusals() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            #expect(try await ask(stage, about: "a token of another broker").status == 401)
            let id = TokenProof(token: Secret(BrokerStage.agentToken)).tokenID
            for body in [
                "{}", "{\"token_id\":\"\(id)\"}", "{\"token_id\":\"\(id)\",\"nonce\":\"no\"}",
                "{\"token_id\":\"short\",\"nonce\":\"\(Nonce())\"}", "{\"token_id\":7,\"nonce\":\"\(Nonce())\"}",
            ] {
                let answer = try await stage.exchange("POST", "/proof", as: .nobody, body: Array(body.utf8))
                #expect(answer.status == 400, "\(body)")
            }
        }
    }

    @Test("a flood of malformed, too long and unknown questions keeps no client of the broker waiting")
    func flood() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.rates.proofBurst = 3
        configuration.limits.rates.proofsPerSecond = 0.01
        configuration.limits.rates.wrongTokensPerMinute = 3
        try await stage.run(configuration) { stage in
            let id = TokenProof(token: Secret(BrokerStage.agentToken)).tokenID
            let long = "{\"token_id\":\"\(id)\",\"nonce\":\"\(Nonce())\"}" + String(repeating: " ", count: 1 << 10)
            var malformed: [Int] = []
            for body in ["x", long, "x", "x", long] {
                malformed.append(
                    try await stage.exchange("POST", "/proof", as: .nobody, body: Array(body.utf8)).status)
            }
            #expect(malformed == [400, 413, 400, 429, 429])
            var unknown: [Int] = []
            for _ in 0..<3 { unknown.append(try await ask(stage, about: "a token of another broker").status) }
            #expect(unknown == [401, 429, 429])
            for token in [BrokerStage.agentToken, BrokerStage.phoneToken] {
                for _ in 0..<20 { #expect(try await ask(stage, about: token).status == 200) }
            }
        }
    }
}
