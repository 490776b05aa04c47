import Crypto
import CurlClient
import Foundation
import Synchronization
import Testing

@Suite("An HTTP session")
struct CurlSessionTests {
    /// The server's reply to a request's head, given the number of earlier requests on the connection.
    private struct Answer {
        let reply: @Sendable (String, Int) -> RawServer.Reply
    }

    private func withServer(
        _ answer: Answer, with configuration: CurlConfiguration = .init(),
        _ body: (RawServer, CurlSession) async throws -> Void
    ) async throws {
        let server = try RawServer(answer.reply)
        let session = CurlSession(configuration)
        defer { server.stop() }
        do {
            try await body(server, session)
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }

    @Test("sends method, headers and body unchanged, and reads the answer")
    func exchange() async throws {
        try await withServer(Answer { head, _ in .ok(head, headers: "X-Note: a\r\nX-Note: b\r\n") }) {
            server, session in
            let response = try await session.send(
                HTTPRequest(
                    "PUT", server.url + "/a?b=c", headers: [HTTPHeader("X-One", "1"), HTTPHeader("X-Empty", "")],
                    body: Array("hello".utf8)))
            let seen = String(decoding: response.body, as: UTF8.self)
            #expect(seen.hasPrefix("PUT /a?b=c HTTP/1.1\r\n"))
            #expect(
                seen.contains("X-One: 1\r\n") && seen.contains("X-Empty:\r\n") && seen.contains("Content-Length: 5"))
            #expect(!seen.contains("Expect:") && !seen.contains("application/x-www-form-urlencoded"))
            #expect(response.status == 200)
            #expect(response.header("x-note") == "b")
            #expect(response.headers.filter { $0.name == "X-Note" }.count == 2)
        }
    }

    @Test("tells which connection an answer came over, and sends a request that is bound to it over no other")
    func connections() async throws {
        try await withServer(Answer { head, earlier in head.hasPrefix("GET /last") ? .close([]) : .ok("\(earlier)") }) {
            server, session in
            let first = try await session.send(HTTPRequest("GET", server.url))
            let connection = try #require(first.head.connection)
            #expect(server.url.hasSuffix(connection.peer))
            var bound = HTTPRequest("GET", server.url)
            bound.connection = connection
            let second = try await session.send(bound)
            #expect(second.head.connection == connection && second.head.reusedConnection)
            await #expect(throws: CurlError.self) { try await session.send(HTTPRequest("GET", server.url + "/last")) }
            let error = await #expect(throws: CurlError.self) { try await session.send(bound) }
            #expect(error?.code == .otherConnection)
            let third = try await session.send(HTTPRequest("GET", server.url))
            #expect(third.head.connection != connection)
        }
    }

    @Test("reads a header's bytes as UTF-8 or else as ISO 8859-1, without surrounding space")
    func headers() async throws {
        let lines: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: \t a b \t\r\nX-Empty:\r\nX-Colon: a:b\r\n".utf8),
            Array("X-New: caf\u{E9}\r\nX-Old: caf".utf8), [0xE9], Array("\r\n\r\n".utf8),
        ]
        try await withServer(Answer { _, _ in .keep(lines.flatMap(\.self)) }) { server, session in
            let response = try await session.send(HTTPRequest("GET", server.url))
            #expect(response.header("x-a") == "a b")
            #expect(response.header("x-empty") == "")
            #expect(response.header("x-colon") == "a:b")
            #expect(response.header("x-new") == "café" && response.header("x-old") == "café")
        }
    }

    @Test("reuses its connection, and does not share it with another session")
    func reuse() async throws {
        try await withServer(Answer { _, _ in .ok("x") }) { server, session in
            let first = try await session.send(HTTPRequest("GET", server.url))
            let second = try await session.send(HTTPRequest("GET", server.url))
            #expect(!first.head.reusedConnection && second.head.reusedConnection)
            let other = CurlSession()
            _ = try await other.send(HTTPRequest("GET", server.url))
            await other.close()
            #expect(server.connections == 2)
        }
    }

    @Test("follows no redirect by itself")
    func redirect() async throws {
        let reply = "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
        try await withServer(Answer { _, _ in .keep(Array(reply.utf8)) }) { server, session in
            let response = try await session.send(HTTPRequest("GET", server.url))
            #expect(response.status == 302)
            #expect(response.header("location") == "/b")
        }
    }

    @Test(
        "repeats a GET once when a reused connection was closed, and never a POST",
        arguments: ["GET", "POST"])
    func retry(method: String) async throws {
        let hang = { @Sendable (head: String, served: Int) -> RawServer.Reply in served == 0 ? .ok("x") : .close([]) }
        try await withServer(Answer(reply: hang)) { server, session in
            _ = try await session.send(HTTPRequest("GET", server.url))
            let body: [UInt8]? = method == "POST" ? Array("a=1".utf8) : nil
            if method == "GET" {
                #expect(try await session.send(HTTPRequest(method, server.url)).status == 200)
                #expect(server.connections == 2)
            } else {
                let error = await #expect(throws: CurlError.self) {
                    try await session.send(HTTPRequest(method, server.url, body: body))
                }
                #expect(error?.code == .connectionLost)
            }
        }
    }

    @Test(
        "does not report an unreachable server after a request was sent on a kept connection",
        arguments: ["GET", "POST"])
    func serverGone(method: String) async throws {
        let sent = Mutex<RawServer?>(nil)
        let leave = { @Sendable (head: String, served: Int) -> RawServer.Reply in
            guard served > 0 else { return .ok("x") }
            sent.withLock { $0?.stopListening() }
            return .close([])
        }
        try await withServer(Answer(reply: leave)) { server, session in
            sent.withLock { $0 = server }
            defer { sent.withLock { $0 = nil } }
            _ = try await session.send(HTTPRequest("GET", server.url))
            let body: [UInt8]? = method == "POST" ? Array("a=1".utf8) : nil
            let error = await #expect(throws: CurlError.self) {
                try await session.send(HTTPRequest(method, server.url, body: body))
            }
            #expect(error?.code == .connectionLost, "\(String(describing: error))")
            // From here on the server has received nothing.
            let next = await #expect(throws: CurlError.self) {
                try await session.send(HTTPRequest(method, server.url, body: body))
            }
            #expect(next?.code == .couldNotConnect, "\(String(describing: next))")
        }
    }

    @Test("streams a download into a private file and knows its SHA-256")
    func download() async throws {
        let content = String(repeating: "0123456789abcdef", count: 1 << 16)
        try await withServer(Answer { _, _ in .ok(content) }) { server, session in
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).bin")
            defer { try? FileManager.default.removeItem(at: file) }
            let download = try await session.download(HTTPRequest("GET", server.url), to: file)
            #expect(download.bytes == content.utf8.count)
            let digest = SHA256.hash(data: try Data(contentsOf: file)).map { String(format: "%02x", $0) }.joined()
            #expect(download.sha256 == digest)
            #expect(download.firstBytes == Array(content.utf8.prefix(1024)))
            #expect(download.lastBytes == Array(content.utf8.suffix(1024)))
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test(
        "knows a download's first and last bytes, however small its pieces are",
        arguments: [1, 700, 1023, 1024, 5000])
    func ends(ofPieces size: Int) async throws {
        let content = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }
        var answer = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for start in stride(from: 0, to: content.count, by: size) {
            let piece = content[start..<min(start + size, content.count)]
            answer += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
        }
        answer += Array("0\r\n\r\n".utf8)
        try await withServer(Answer { [answer] _, _ in .keep(answer) }) { server, session in
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).bin")
            defer { try? FileManager.default.removeItem(at: file) }
            let download = try await session.download(HTTPRequest("GET", server.url), to: file)
            #expect(try Array(Data(contentsOf: file)) == content)
            #expect(download.firstBytes == Array(content.prefix(1024)))
            #expect(download.lastBytes == Array(content.suffix(1024)))
        }
    }

    @Test("a cancelled task ends its exchange at once, and leaves no file", .timeLimit(.minutes(3)))
    func cancellation() async throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome".utf8)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withServer(Answer { _, _ in .keep(head) }) { server, session in
            let url = server.url
            let task = Task { try await session.download(HTTPRequest("GET", url), to: folder.appending(path: "x")) }
            // The unfinished file shows that the exchange is under way.
            while try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty {
                try await Task.sleep(for: .milliseconds(5))
            }
            let began = ContinuousClock.now
            task.cancel()
            let result = await task.result
            let took = ContinuousClock.now - began
            // The server stays silent, so only the session's limit of 300 s would end the exchange otherwise.
            #expect(took < .seconds(5), "\(took)")
            #expect(throws: CurlError.self) { try result.get() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    enum Evil: CaseIterable, Sendable {
        case silence, endlessBody, endlessHeader, largeHeader, truncated, garbage, unreachable

        var limits: HTTPLimits {
            var limits = HTTPLimits()
            if self == .silence { limits.firstByte = .milliseconds(300) }
            limits.bodySize = 1 << 20
            return limits
        }
    }

    @Test("ends with an error that names the limit", .timeLimit(.minutes(3)), arguments: Evil.allCases)
    func evil(_ evil: Evil) async throws {
        var configuration = CurlConfiguration()
        configuration.limits = evil.limits
        let ok = Array("HTTP/1.1 200 OK\r\n".utf8)
        let answer = { @Sendable (_: String, _: Int) -> RawServer.Reply in
            switch evil {
            case .silence: .silence
            case .endlessBody: .endless(head: ok + Array("\r\n".utf8), chunk: [UInt8](repeating: 0x78, count: 1 << 16))
            case .endlessHeader: .endless(head: ok, chunk: Array("X-A: b\r\n".utf8))
            case .largeHeader:
                .close(ok + Array("X-A: ".utf8) + [UInt8](repeating: 0x78, count: 1 << 20) + Array("\r\n\r\n".utf8))
            case .truncated: .close(ok + Array("Content-Length: 100\r\n\r\nshort".utf8))
            case .garbage: .close(Array("SSH-2.0-OpenSSH\r\n".utf8))
            case .unreachable: .silence
            }
        }
        try await withServer(Answer(reply: answer), with: configuration) { server, session in
            let url = evil == .unreachable ? "http://127.0.0.1:1" : server.url
            let error = try #require(
                await #expect(throws: CurlError.self) { try await session.send(HTTPRequest("GET", url)) })
            let expected: (CurlError.Code, String) =
                switch evil {
                case .silence: (.timeout, "first-byte limit")
                case .endlessBody: (.tooLarge, "body limit")
                case .endlessHeader, .largeHeader: (.tooLarge, "header")
                case .truncated: (.connectionLost, "before the answer was complete")
                case .garbage: (.protocolViolation, "not HTTP")
                case .unreachable: (.couldNotConnect, "refuses the connection")
                }
            #expect(error.code == expected.0, "\(error)")
            #expect(error.message.contains(expected.1), "\(error)")
        }
    }

    @Test(
        "sends no part of a header that would not be one header",
        arguments: [
            ("X-A", "b\r\nX-Evil: 1"), ("X-A", "b\nX-Evil: 1"), ("X-A", "b\rX-Evil: 1"), ("X-A", "b\n"),
            ("X-A", "b\0c"),
            ("X-A\r\nX-Evil", "1"), ("X-A\n", ""), ("X-A\0", "b"), ("", "X-A"),
        ])
    func injection(name: String, value: String) async throws {
        try await withServer(Answer { head, _ in .ok(head) }) { server, session in
            let headers = [HTTPHeader(name, value), HTTPHeader("X-B", "c"), HTTPHeader("X-Empty", "")]
            let response = try await session.send(HTTPRequest("GET", server.url, headers: headers))
            let seen = String(decoding: response.body, as: UTF8.self)
            #expect(!seen.contains("X-Evil") && !seen.contains("X-A"))
            #expect(seen.contains("\r\nX-B: c\r\nX-Empty:\r\n"))
        }
    }

    @Test("recognizes complete headers")
    func oddHeaders() async throws {
        let lines = ": nameless\r\nX-A:  b \t\r\nX-B:\r\nX-C: \u{E9}\r\n"
        try await withServer(Answer { _, _ in .ok("", headers: lines) }) { server, session in
            let answer = try await session.send(HTTPRequest("GET", server.url))
            let odd = answer.headers.filter { $0.name != "Content-Length" }
            #expect(
                odd == [
                    HTTPHeader("", "nameless"), HTTPHeader("X-A", "b"), HTTPHeader("X-B", ""),
                    HTTPHeader("X-C", "\u{E9}"),
                ])
        }
    }

    @Test(
        "names an unreachable host without the rest of its URL",
        arguments: ["http://user:secret@127.0.0.1:1/path?secret#secret", "http://127.0.0.1:1?secret"])
    func hostInMessages(url: String) async throws {
        let session = CurlSession()
        let error = await #expect(throws: CurlError.self) { try await session.send(HTTPRequest("GET", url)) }
        await session.close()
        #expect(error?.message.hasPrefix("127.0.0.1:1 refuses") == true, "\(String(describing: error))")
    }

    @Test("an unreadable file of authorities is an error, and nothing is trusted instead")
    func missingAuthorities() async throws {
        var configuration = CurlConfiguration()
        configuration.extraCAFile = URL(filePath: "/nonexistent/authority.pem")
        let session = CurlSession(configuration)
        let error = await #expect(throws: CurlError.self) {
            try await session.send(HTTPRequest("GET", "https://127.0.0.1:1"))
        }
        await session.close()
        #expect(error?.code == .tls)
    }

    @Test("does nothing after it was closed, and leaks no descriptor")
    func closing() async throws {
        let session = CurlSession()
        await session.close()
        let error = await #expect(throws: CurlError.self) {
            try await session.send(HTTPRequest("GET", "http://127.0.0.1:1"))
        }
        #expect(error?.code == .closed)
    }

    @Test(
        "never sends Secure cookies over plain HTTP, however they are written",
        arguments: ["Secure", "secure=yes", "SECURE"])
    func secureCookies(attribute: String) async throws {
        let set = "Set-Cookie: a=1; \(attribute)\r\nSet-Cookie: b=2\r\n"
        try await withServer(Answer { head, served in .ok(head, headers: served == 0 ? set : "") }) {
            server, session in
            _ = try await session.send(HTTPRequest("GET", server.url))
            let response = try await session.send(HTTPRequest("GET", server.url))
            let seen = String(decoding: response.body, as: UTF8.self)
            #expect(!seen.contains("a=1"), "\(seen)")
            #expect(seen.contains("b=2"))
        }
    }
}
