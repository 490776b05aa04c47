import Foundation
import TestServers
import Testing

@Suite("A web page reaches the broker under a name of its own", .timeLimit(.minutes(3)))
struct RebindingTests {
    @Test(
        "the routes without a token answer to the broker's own names only",
        arguments: ["/healthz", "/metrics", "/openapi.json"])
    func rebinding(path: String) async throws {
        try await AttackedBroker().run { broker in
            let port = try #require(URL(string: broker.url)?.port)
            for (host, isFine) in [
                ("evil.example", false), ("evil.example:\(port)", false), ("127.0.0.1.evil.example", false),
                ("localhost.evil.example", false), ("localhost", true), ("localhost:\(port)", true),
                ("127.0.0.1:\(port)", true), ("[::1]:\(port)", true),
            ] {
                let status = try await Self.status(port, path, host)
                #expect(status == (isFine ? 200 : 421), "\(host)")
            }
        }
    }

    /// Sends a request with this Host, over a connection to this machine.
    private static func status(_ port: Int, _ path: String, _ host: String) async throws -> Int {
        let connection = try RawConnection(port: port)
        _ = connection.write("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        let head = await connection.read(within: 30)
        return Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
    }
}
