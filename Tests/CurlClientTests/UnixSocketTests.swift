import Foundation
import Machine
import TestServers
import TestSupport
import Testing

@testable import CurlClient

@Suite("Requests over a Unix socket", .timeLimit(.minutes(2)))
struct UnixSocketTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.appending("server.sock") }

    init() throws {
        folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "curl-\(UUID().uuidString.prefix(8))")
    }

    private func request(_ socket: ServedSocket?, _ url: String = "http://localhost/it") -> HTTPRequest {
        var request = HTTPRequest("GET", url)
        request.socket = socket
        return request
    }

    @Test("go to the program that serves it, one after the other on one connection, and other requests do not")
    func answered() async throws {
        let (server, http) = (try LocalServer(at: file), CurlSession())
        defer { server.end() }
        for _ in 1...3 {
            let answer = try await http.send(request(ServedSocket(file)))
            #expect(answer.status == 200)
        }
        #expect(server.connections == 1)
        #expect(server.heard.hasPrefix("GET /it HTTP/1.1\r\nHost: localhost\r\n"))
        let free = try FreePort.find()
        let elsewhere = await #expect(throws: CurlError.self) {
            try await http.send(request(nil, "http://127.0.0.1:\(free)/it"))
        }
        #expect(elsewhere?.code == .couldNotConnect)
        #expect(server.connections == 1)
        await http.close()
    }

    @Test("send nothing to a program of another user, not the second time either, and name the socket")
    func foreign() async throws {
        let (server, http) = (try LocalServer(at: file), CurlSession())
        defer { server.end() }
        for _ in 1...2 {
            var asked = request(ServedSocket(file, servedBy: [geteuid() + 1]))
            asked.headers = [HTTPHeader("Authorization", "Bearer secret")]
            let sent = asked
            let error = await #expect(throws: CurlError.self) { try await http.send(sent) }
            #expect(error?.code == .foreignServer)
            #expect(error?.message.contains(file.path) == true, "\(error as Any)")
            #expect(error?.message.contains("nothing was sent") == true)
        }
        #expect(server.heard.isEmpty)
        await http.close()
    }

    @Test("say that no program listens: without a socket, at a plain file, and at one that a killed program left")
    func unserved() async throws {
        let http = CurlSession()
        let missing = await #expect(throws: CurlError.self) { try await http.send(request(ServedSocket(file))) }
        #expect(missing?.code == .couldNotConnect)
        let words = "the socket \(file.path) cannot be reached: no program listens there, or this one may not open it"
        #expect(missing?.message == words)
        try Data().write(to: file)
        let plain = await #expect(throws: CurlError.self) { try await http.send(request(ServedSocket(file))) }
        #expect(plain?.code == .couldNotConnect)
        close(try UnixSocket.bound(to: file))
        let left = await #expect(throws: CurlError.self) { try await http.send(request(ServedSocket(file))) }
        #expect(left?.code == .couldNotConnect)
        await http.close()
    }

    @Test("go to no server that has as many connections waiting as it takes, which is not taken for another user's")
    func full() async throws {
        let listener = try UnixSocket.bound(to: file)
        defer { close(listener) }
        try #require(listen(listener, 0) == 0)
        let waiting = try UnixSocket.connected(to: file)
        defer { close(waiting) }
        let http = CurlSession()
        let error = await #expect(throws: CurlError.self) { try await http.send(request(ServedSocket(file))) }
        #expect(error?.code == .couldNotConnect, "\(error as Any)")
        #expect(error?.message.contains("the socket \(file.path) cannot be reached") == true, "\(error as Any)")
        await http.close()
    }

    @Test("refuse a path that is too long for a socket, with its length")
    func tooLong() async throws {
        let http = CurlSession()
        let long = ServedSocket(URL(filePath: "/" + String(repeating: "x", count: 200)))
        let error = await #expect(throws: CurlError.self) { try await http.send(request(long)) }
        #expect(error?.message.contains("103 bytes") == true, "\(error as Any)")
        await http.close()
    }

    @Test("need no certificate where one is pinned for the network")
    func pinned() async throws {
        let server = try LocalServer(at: file)
        defer { server.end() }
        var configuration = CurlConfiguration()
        configuration.pinnedCertificates = [String(repeating: "0", count: 64)]
        let http = CurlSession(configuration)
        let answer = try await http.send(request(ServedSocket(file)))
        #expect(answer.status == 200)
        await http.close()
    }
}
