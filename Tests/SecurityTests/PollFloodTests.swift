import Clocks
import CurlClient
import Encodings
import Foundation
import Messages
import TestServers
import Testing

@Suite("An agent fills the broker's connections, so that no phone gets through", .timeLimit(.minutes(3)))
struct PollFloodTests {
    @Test("long polls of one agent leave the phones of the same machine their place")
    func polls() async throws {
        let broker = try AttackedBroker()
        var configuration = try broker.configuration
        configuration.limits.connections = 64
        try await broker.run(configuration) { broker in
            let id = try #require(try await broker.ask().json["request_id"]?.stringValue)
            let polls = try (0..<40).map { _ in try Self.connection(broker, "/request/\(id)?wait=30") }
            try await Self.untilRefused(broker)
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

    @Test("the ninth waiting poll of an agent is refused until others end, and another agent may wait")
    func ninth() async throws {
        try await AttackedBroker().run { broker in
            let other = try await broker.administration().agents.add(try #require(AgentName("quiet"))).revealed()
            let id = try #require(try await broker.ask().json["request_id"]?.stringValue)
            let polls = try (0..<9).map { _ in try Self.connection(broker, "/request/\(id)?wait=60") }
            try await Self.untilRefused(broker)
            let refused = try await broker.send("GET", "/request/\(id)?wait=1")
            #expect(refused.status == 429 && refused.json["error_code"] == "RATE_LIMITED", "\(refused)")
            #expect(refused.head.headers.contains { $0.name.lowercased() == "retry-after" })
            #expect(try await broker.send("GET", "/request/\(id)").status == 202, "a look that does not wait")
            #expect(try await broker.ask(token: other).json["request_id"]?.stringValue == id, "it asks for the same")
            #expect(try await broker.send("GET", "/request/\(id)?wait=1", token: other).status == 202)
            let decision: JSONValue = ["decision": "APPROVE", "decided_at": .string(Timestamp(broker.now).description)]
            let decided = try await broker.send(
                "POST", "/phone/requests/\(id)/decision", token: AttackedBroker.phoneToken, decision)
            #expect(decided.status == 200)
            // The decision ends the polls; each of them gives its place back soon after.
            let deadline = ContinuousClock.now + .seconds(60)
            var status = 429
            while status == 429, ContinuousClock.now < deadline {
                status = try await broker.send("GET", "/request/\(id)?wait=1").status
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(status == 202)
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
            try await Self.untilAnswered(phone)
            let oldest = try Self.connection(broker, "/requests")
            try await Self.untilAnswered(oldest)
            let agents = try (0..<59).map { _ in try Self.connection(broker, "/requests") }
            let deadline = ContinuousClock.now + .seconds(60)
            while !oldest.isClosed, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(oldest.isClosed, "the oldest of the others made room")
            #expect(!phone.isClosed)
            withExtendedLifetime(agents) {}
        }
    }

    /// Waits until the broker has refused a request, as it does with polls once as many wait as it admits.
    private static func untilRefused(_ broker: AttackedBroker) async throws {
        let session = CurlSession()
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            // Between two looks this connection is silent, and the broker may close it to make room for a poll.
            let metrics = try? await session.send(HTTPRequest("GET", broker.url + "/metrics"))
            if String(decoding: metrics?.body ?? [], as: UTF8.self).contains(#"status="429""#) { break }
            try #require(ContinuousClock.now < deadline, "no poll was refused")
            try await Task.sleep(for: .milliseconds(50))
        }
        await session.close()
    }

    /// Waits for the answer to a connection's first request, and reads all of it.
    private static func untilAnswered(_ connection: RawConnection) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        var answer = ""
        while !answer.contains("200 OK"), !connection.isClosed, ContinuousClock.now < deadline {
            answer += await connection.read(within: 1)
        }
        try #require(answer.contains("200 OK"), "\(answer)")
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
