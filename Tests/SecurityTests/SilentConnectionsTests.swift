import CurlClient
import Foundation
import LoopbackPage
import LoopbackPhone
import LoopbackSockets
import Testing

@Suite("A stranger opens connections and says nothing", .serialized, .timeLimit(.minutes(1)))
struct SilentConnectionsTests {
    @Test("600 silent connections do not delay a broker's health check by 2 s", arguments: [1, 50])
    func broker(addresses: Int) async throws {
        let broker = try AttackedBroker()
        try await broker.run { broker in
            let url = try #require(URL(string: broker.url))
            try await Self.expectAnswer(from: broker.url + "/healthz", port: try #require(url.port), addresses)
        }
    }

    @Test("600 silent connections do not delay the approval page by 2 s", arguments: [1, 50])
    func page(addresses: Int) async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, _ in
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
                for _ in 0..<100 where !connection.isClosed {
                    connection.write("x")
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(connection.isClosed)
            }
        }
    }

    /// Opens the connections, and expects an answer while they stay open.
    static func expectAnswer(from address: String, port: Int, _ addresses: Int) async throws {
        let silent = try (0..<600).map { try RawConnection(port: port, from: "127.0.0.\(2 + $0 % addresses)") }
        for connection in silent.prefix(100) { connection.write("GET / HTTP/1.1\r\nX-Slow: ") }
        let began = ContinuousClock.now
        for _ in 0..<5 {
            let session = CurlSession()
            #expect(try await session.send(HTTPRequest("GET", address)).status == 200)
            await session.close()
        }
        let time = ContinuousClock.now - began
        #expect(time < .seconds(2), "five health checks took \(time)")
        #expect(silent.contains { $0.isClosed })
    }
}
