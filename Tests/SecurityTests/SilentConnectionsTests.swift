import CurlClient
import Foundation
import TestParties
import TestServers
import Testing

@Suite("A stranger opens connections and says nothing", .serialized, .timeLimit(.minutes(3)))
struct SilentConnectionsTests {
    /// The time after which a server closes a silent connection that is not in the way: longer than these tests wait.
    private static let patience: Duration = .seconds(60)

    @Test("600 silent connections do not block a broker's health check", arguments: [1, 50])
    func broker(addresses: Int) async throws {
        let broker = try AttackedBroker()
        var configuration = try broker.configuration
        configuration.limits.timeouts.head = Self.patience
        try await broker.run(configuration) { broker in
            let url = try #require(URL(string: broker.url))
            try await Self.expectAnswer(from: broker.url + "/healthz", port: try #require(url.port), addresses)
        }
    }

    @Test("600 silent connections do not block the approval page", arguments: [1, 50])
    func page(addresses: Int) async throws {
        var configuration = TestPhone.pageConfiguration
        configuration.timeouts.head = Self.patience
        try await TestPhone.with { [configuration] phone in
            try await phone.opening(configuration) { page, _ in
                let port = try #require(URL(string: page.origin)?.port)
                try await Self.expectAnswer(from: page.origin + "/", port: port, addresses)
            }
        }
    }

    @Test("the page closes a connection that never finishes its request")
    func slow() async throws {
        var configuration = TestPhone.pageConfiguration
        configuration.timeouts.head = .milliseconds(300)
        try await TestPhone.with { [configuration] phone in
            try await phone.opening(configuration) { page, _ in
                let connection = try RawConnection(port: try #require(URL(string: page.origin)?.port))
                connection.write("GET / HTTP/1.1\r\nX-Slow: ")
                let deadline = ContinuousClock.now + .seconds(60)
                while !connection.isClosed, ContinuousClock.now < deadline {
                    connection.write("x")
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(connection.isClosed)
            }
        }
    }

    /// Opens the connections, and expects answers while they stay open, long before any of them is closed for its silence.
    static func expectAnswer(from address: String, port: Int, _ addresses: Int) async throws {
        let silent = try (0..<600).map { try RawConnection(port: port, from: "127.0.0.\(2 + $0 % addresses)") }
        for connection in silent.prefix(100) { connection.write("GET / HTTP/1.1\r\nX-Slow: ") }
        let crowded = try await usualTime(of: address)
        #expect(crowded < .seconds(10), "\(crowded)")
        let deadline = ContinuousClock.now + .seconds(60)
        while !silent.contains(where: \.isClosed), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(silent.contains { $0.isClosed })
    }

    /// Returns the median time of nine answers, each over a connection of its own. A busy machine holds up single ones.
    private static func usualTime(of address: String) async throws -> Duration {
        var times: [Duration] = []
        for _ in 0..<9 {
            let session = CurlSession()
            let began = ContinuousClock.now
            #expect(try await session.send(HTTPRequest("GET", address)).status == 200)
            times.append(ContinuousClock.now - began)
            await session.close()
        }
        times.sort()
        return times[times.count / 2]
    }
}
