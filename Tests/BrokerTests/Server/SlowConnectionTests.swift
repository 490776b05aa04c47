import Broker
import CurlClient
import Foundation
import TestParties
import TestServers
import Testing

@Suite("Connections", .timeLimit(.minutes(3)))
struct SlowConnectionTests {
    @Test("200 slow heads and bodies do not block other requests")
    func slow() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let port = try #require(stage.port)
            let slow = try (0..<200).map { _ in try RawConnection(port: port) }
            for (number, connection) in slow.enumerated() {
                connection.write("POST /request HTTP/1.1\r\nHost: localhost\r\n")
                if number.isMultiple(of: 2) {
                    connection.write("Authorization: Bearer \(BrokerStage.agentToken)\r\nContent-Length: 60\r\n\r\n{")
                }
            }
            let dripping = Task {
                while !Task.isCancelled {
                    for (number, connection) in slow.enumerated() {
                        connection.write(number.isMultiple(of: 2) ? " " : "X-\(number): y\r\n")
                    }
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
            var times: [Duration] = []
            for number in 0..<200 {
                // Every fourth request uses a new connection, which has to be accepted among the others.
                let session = number.isMultiple(of: 4) ? CurlSession() : nil
                let start = ContinuousClock.now
                if let session {
                    let answer = try await session.send(HTTPRequest("GET", stage.url + "/healthz"))
                    #expect(answer.status == 200)
                } else {
                    _ = try await stage.send("GET", "/requests?limit=1")
                }
                times.append(ContinuousClock.now - start)
                await session?.close()
            }
            dripping.cancel()
            times.sort()
            // A blocked request would wait for the slow ones, which the broker closes after 10 s at the earliest.
            #expect(times[197] < .seconds(5), "the 99th percentile is \(times[197])")
        }
    }

    @Test(
        "a connection that takes too long is closed, even if a byte comes now and then",
        arguments: [
            "GET /healthz HTTP/1.1\r\nX-A: ",
            "POST /request HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(BrokerStage.agentToken)\r\nContent-Length: 900\r\n\r\n",
            "",
        ])
    func deadlines(begin: String) async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.timeouts.head = .milliseconds(300)
        configuration.limits.timeouts.body = .milliseconds(300)
        try await stage.run(configuration) { stage in
            let start = ContinuousClock.now
            let connection = try RawConnection(port: try #require(stage.port))
            connection.write(begin)
            while !connection.isClosed {
                if !begin.isEmpty { connection.write("x") }
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(ContinuousClock.now - start >= .milliseconds(250))
        }
    }

    @Test("an idle connection is closed after an answer, a long poll is not")
    func idle() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        // All are shorter than the poll, and long enough for a client that the machine holds up.
        configuration.limits.timeouts.head = .seconds(3)
        configuration.limits.timeouts.body = .seconds(3)
        configuration.limits.timeouts.idle = .seconds(1)
        try await stage.run(configuration) { stage in
            let connection = try RawConnection(port: try #require(stage.port))
            connection.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let answer = await connection.read(within: 20)
            #expect(answer.hasPrefix("HTTP/1.1 200"), "read until it was closed")
            let id = try await stage.request()
            let started = ContinuousClock.now
            #expect(try await stage.waiting("/request/\(id)?wait=4")["status"] == "PENDING_APPROVAL")
            #expect(ContinuousClock.now - started >= .milliseconds(3900))
        }
    }

    @Test("the number of open connections is limited; the oldest silent one makes room for the next")
    func most() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.connections = 4
        // The limit on the head must not be what closes a silent connection here.
        configuration.limits.timeouts.head = .seconds(60)
        try await stage.run(configuration) { stage in
            let port = try #require(stage.port)
            let held = try (0..<3).map { _ in try RawConnection(port: port) }
            try await Task.sleep(for: .milliseconds(100))
            let next = try RawConnection(port: port)
            next.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let answer = await next.read(within: 10)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            let deadline = ContinuousClock.now + .seconds(40)
            while !held[0].isClosed, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(held[0].isClosed)
        }
    }

    @Test("a connection whose answer is being prepared is not closed to make room")
    func busy() async throws {
        let stage = try BrokerStage()
        var configuration = stage.configuration
        configuration.limits.connections = 8
        configuration.limits.timeouts.head = .seconds(60)
        try await stage.run(configuration) { stage in
            let port = try #require(stage.port)
            let id = try await stage.request()
            let polling = Task { try await stage.waiting("/request/\(id)?wait=6")["status"] }
            // The broker has the poll by then, and it waits.
            try await Task.sleep(for: .seconds(3))
            let silent = try (0..<20).map { _ in try RawConnection(port: port) }
            #expect(try await polling.value == "PENDING_APPROVAL")
            // On a busy machine the broker may accept the last of them late.
            let deadline = ContinuousClock.now + .seconds(40)
            while !silent.contains(where: \.isClosed), ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(silent.contains { $0.isClosed })
        }
    }

    @Test(
        "input that is not HTTP is refused and does no harm",
        arguments: ["\0\0\0\r\n\r\n", "GET\r\n\r\n", "A B C\r\n\r\n"])
    func noHTTP(text: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let answer = try await stage.raw(text)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
            #expect(try await stage.send("GET", "/healthz", as: .nobody).status == 200)
        }
    }
}
