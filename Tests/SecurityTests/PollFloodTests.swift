import CurlClient
import Foundation
import LoopbackSockets
import Messages
import Testing

@Suite("An agent fills the broker's connections, so that no phone gets through", .timeLimit(.minutes(1)))
struct PollFloodTests {
    @Test("long polls of one agent leave the phones of the same machine their place")
    func polls() async throws {
        let broker = try AttackedBroker()
        var configuration = try broker.configuration
        configuration.limits.connections = 64
        try await broker.run(configuration) { broker in
            let id = try #require(try await broker.ask().json["request_id"]?.stringValue)
            let polls = try (0..<40).map { _ in try Self.connection(broker, "/request/\(id)?wait=30") }
            try await Task.sleep(for: .milliseconds(500))
            let session = CurlSession()
            let answer = try await session.send(
                HTTPRequest(
                    "GET", broker.url + "/phone/requests/pending",
                    headers: [HTTPHeader("Authorization", "Bearer \(AttackedBroker.phoneToken)")]))
            #expect(answer.status == 200)
            await session.close()
            withExtendedLifetime(polls) {}
        }
    }

    @Test("the ninth waiting poll of an agent is refused until one ends, and another agent may wait")
    func ninth() async throws {
        try await AttackedBroker().run { broker in
            let other = try await broker.administration().agents.add(try #require(AgentName("quiet"))).revealed()
            let id = try #require(try await broker.ask().json["request_id"]?.stringValue)
            let polls = try (0..<8).map { _ in try Self.connection(broker, "/request/\(id)?wait=3") }
            try await Task.sleep(for: .milliseconds(500))
            let refused = try await broker.send("GET", "/request/\(id)?wait=1")
            #expect(refused.status == 429 && refused.json["error_code"] == "RATE_LIMITED", "\(refused)")
            #expect(refused.head.headers.contains { $0.name.lowercased() == "retry-after" })
            #expect(try await broker.send("GET", "/request/\(id)").status == 202, "a look that does not wait")
            #expect(try await broker.send("GET", "/request/\(id)?wait=1", token: other).status == 202)
            try await Task.sleep(for: .seconds(3))
            #expect(try await broker.send("GET", "/request/\(id)?wait=1").status == 202)
            withExtendedLifetime(polls) {}
        }
    }

    @Test("connections of an agent do not push a phone's open connection out")
    func pushing() async throws {
        let broker = try AttackedBroker()
        var configuration = try broker.configuration
        configuration.limits.connections = 64
        try await broker.run(configuration) { broker in
            let phone = try Self.connection(broker, "/phone/requests/pending", token: AttackedBroker.phoneToken)
            try await Task.sleep(for: .milliseconds(300))
            #expect(phone.read(within: 1).contains("200 OK"))
            let agents = try (0..<60).map { _ in try Self.connection(broker, "/requests") }
            try await Task.sleep(for: .milliseconds(500))
            #expect(!phone.isClosed)
            _ = agents[0].read(within: 1)
            #expect(agents[0].isClosed, "the oldest of the others made room")
        }
    }

    private static func connection(
        _ broker: AttackedBroker, _ path: String, token: String = AttackedBroker.agentToken
    ) throws -> RawConnection {
        let port = try #require(URL(string: broker.url)?.port)
        let connection = try RawConnection(port: port)
        connection.write(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n")
        return connection
    }
}
