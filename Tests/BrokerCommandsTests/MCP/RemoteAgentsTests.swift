import BrokerClient
import Clocks
import Foundation
import Messages
import Secrets
import Synchronization
import TestParties
import Testing

@testable import Broker
@testable import BrokerCommands
@testable import BrokerStore

@Suite("The clients of programs elsewhere", .timeLimit(.minutes(4)))
struct RemoteAgentsTests {
    @Test("first messages of one program at once renew its token once")
    func renewals() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let administration = try BrokerAdministration(
                environment: ["BROKER_DATABASE_PATH": stage.database.path], clock: stage.clock.brokerClock)
            let agent = try #require(AgentName("elsewhere"))
            let clients = administration.database.clients
            let number = TokenDigest(of: Array("number".utf8))
            let ask = ClientAsk(
                name: nil, clientID: "self.x", redirectURI: "http://127.0.0.1:1/back", challenge: "", state: nil,
                resource: "http://127.0.0.1:2/mcp", expiresAt: Timestamp(stage.clock.now.addingTimeInterval(600)))
            #expect(try await clients.add(ask, number: number, browser: number, from: "", atMost: 1))
            #expect(
                try await clients.allow(
                    ask.id, clientID: ask.clientID, returnsTo: ask.redirectURI, number: number, as: agent,
                    limits: .none, by: "phone") == .allowed)
            let broker = stage.url
            let made = Mutex(0)
            let agents = RemoteAgents(administration, page: nil) { token in
                made.withLock { $0 += 1 }
                return AgentClient(baseURL: broker, token: token)
            }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 { tasks.addTask { _ = try await agents.transport(for: agent) } }
                try await tasks.waitForAll()
            }
            #expect(made.withLock { $0 } == 1)
            _ = try await agents.transport(for: agent)
            #expect(made.withLock { $0 } == 1, "the token of then still counts")
            await agents.close()
        }
    }
}
