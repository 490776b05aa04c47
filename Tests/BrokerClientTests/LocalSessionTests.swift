import BrokerClient
import CurlClient
import Foundation
import Machine
import Secrets
import TestServers
import TestSupport
import Testing

@Suite("HTTP to the broker over its socket", .timeLimit(.minutes(2)))
struct LocalSessionTests {
    private static let token = "a token that only the broker knows, 0123456789"
    private let folder: TemporaryFolder
    private var file: URL { folder.appending("broker.sock") }

    init() throws {
        folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "session-\(UUID().uuidString.prefix(8))")
    }

    private func session(_ address: String, _ sockets: [String: ServedSocket] = [:]) -> BrokerSession {
        var configuration = CurlConfiguration()
        configuration.sockets = sockets
        return BrokerSession(baseURL: address, token: Secret(Self.token), configuration: configuration)
    }

    @Test("sends the token at once, because the system names the broker's user")
    func token() async throws {
        let (server, session) = (try LocalServer(at: file), self.session("unix:\(file.path)"))
        defer { server.end() }
        let answer = try await session.send("GET", "/requests")
        #expect(answer.status == 200)
        #expect(server.heard.hasPrefix("GET /requests HTTP/1.1\r\n"))
        #expect(server.heard.contains("Authorization: Bearer \(Self.token)\r\n"))
        #expect(!server.heard.contains("/proof"))
        await session.close()
    }

    @Test("sends nothing to a program of another user at the socket, and asks the one at the port for a proof")
    func foreign() async throws {
        let server = try LocalServer(at: file)
        defer { server.end() }
        try await ScriptedServer.with(knowing: Self.token) { port in
            let address = "http://127.0.0.1:\(port.port)"
            let session = self.session(address, [address: ServedSocket(file, servedBy: [geteuid() + 1])])
            let first = try await session.send("GET", "/requests").status
            let second = try await session.send("GET", "/requests").status
            #expect(first == 200 && second == 200)
            #expect(port.heard.first?.path == "/proof")
            #expect(port.heard.count { $0.path == "/requests" } == 2)
            await session.close()
        }
        try await ScriptedServer.with(knowing: Self.token, forging: .guess) { port in
            let address = "http://127.0.0.1:\(port.port)"
            let session = self.session(address, [address: ServedSocket(file, servedBy: [geteuid() + 1])])
            await #expect(throws: UnprovenBroker.self) { try await session.send("GET", "/requests") }
            #expect(port.heard.map(\.path) == ["/proof"])
            await session.close()
        }
        #expect(server.heard.isEmpty)
    }

    @Test("of a broker that has both, uses the socket while it is served, and else asks at the port for a proof")
    func both() async throws {
        try await ScriptedServer.with(knowing: Self.token) { port in
            let address = "http://127.0.0.1:\(port.port)"
            let session = self.session(address, [address: ServedSocket(file)])
            // No socket: a broker of an earlier version.
            #expect(try await session.send("GET", "/requests").status == 200)
            #expect(port.heard.map(\.path) == ["/proof", "/requests"])
            let server = try LocalServer(at: file)
            #expect(try await session.send("GET", "/requests").status == 200)
            #expect(server.connections == 1)
            // A broker that was killed leaves its socket.
            server.end()
            #expect(try await session.send("GET", "/requests").status == 200)
            #expect(port.heard.map(\.path).suffix(1) == ["/requests"])
            await session.close()
        }
    }

    @Test("named by its socket alone, a broker that does not run is not looked for elsewhere")
    func alone() async throws {
        let session = self.session("unix:\(file.path)")
        let error = await #expect(throws: CurlError.self) { try await session.send("GET", "/requests") }
        #expect(error?.message.contains("the socket \(file.path) cannot be reached") == true)
        await session.close()
    }
}
