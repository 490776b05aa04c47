import CurlClient
import Foundation
import Synchronization
import Testing

@Suite("Exchanges side by side", .timeLimit(.minutes(4)))
struct SideBySideTests {
    /// Holds answers back until a number of requests are there, and counts how many are open at a time.
    private final class Crowd: Sendable {
        private let state = Mutex((open: 0, most: 0, seen: 0))

        var most: Int { state.withLock { $0.most } }

        /// Blocks a thread of the server's own.
        func wait(for count: Int) {
            state.withLock { state in
                state.open += 1
                state.seen += 1
                state.most = max(state.most, state.open)
            }
            let end = Date(timeIntervalSinceNow: 20)
            while state.withLock({ $0.seen }) < count, Date() < end { usleep(2000) }
            state.withLock { $0.open -= 1 }
        }
    }

    private static func get(_ url: String, mayRunBesideOthers: Bool = true) -> HTTPRequest {
        var request = HTTPRequest("GET", url)
        request.mayRunBesideOthers = mayRunBesideOthers
        return request
    }

    private static func send(_ requests: [HTTPRequest], on session: CurlSession) async -> [Int?] {
        await withTaskGroup(of: (Int, Int?).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask { (index, try? await session.send(request).status) }
            }
            var statuses: [Int?] = requests.map { _ in nil }
            for await (index, status) in group { statuses[index] = status }
            return statuses
        }
    }

    @Test("those that may overlap do, and share the session's connections")
    func overlap() async throws {
        let crowd = Crowd()
        let server = try RawServer { head, _ in
            if head.hasPrefix("GET /file") { crowd.wait(for: 3) }
            return .ok("")
        }
        defer { server.stop() }
        let session = CurlSession()
        _ = try await session.send(HTTPRequest("GET", server.url + "/page"))
        let files = (1...3).map { Self.get(server.url + "/file/\($0)") }
        #expect(await Self.send(files, on: session) == [200, 200, 200])
        #expect(crowd.most == 3)
        for _ in 0..<4 { _ = try await session.send(HTTPRequest("GET", server.url + "/page")) }
        #expect(server.connections <= 3, "the page's connection and two more")
        await session.close()
    }

    @Test("others run one at a time, also beside those that may overlap", arguments: [false, true])
    func alone(oneMay: Bool) async throws {
        let crowd = Crowd()
        let server = try RawServer { _, _ in
            crowd.wait(for: 0)
            return .ok("")
        }
        defer { server.stop() }
        let session = CurlSession()
        var requests = (1...6).map { Self.get(server.url + "/\($0)", mayRunBesideOthers: false) }
        if oneMay { requests[2].mayRunBesideOthers = true }
        requests.append(HTTPRequest("POST", server.url + "/post", body: [1]))
        requests[6].mayRunBesideOthers = true
        #expect(await Self.send(requests, on: session).allSatisfy { $0 == 200 })
        #expect(crowd.most == 1)
        await session.close()
    }

    @Test("cookies that side-by-side answers set are all kept, and their removals are honoured")
    func cookies() async throws {
        let crowd = Crowd()
        let server = try RawServer { head, _ in
            let headers: String
            switch head.split(separator: " ")[1] {
            case "/begin":
                return .ok("", headers: "Set-Cookie: new=1\r\nSet-Cookie: gone=1\r\nSet-Cookie: same=1\r\n")
            case "/file/1": headers = "Set-Cookie: a=5\r\n"
            case "/file/2": headers = "Set-Cookie: b=2\r\nSet-Cookie: gone=; Path=/; Max-Age=0\r\n"
            case "/file/3": headers = "Set-Cookie: new=4; Path=/\r\n"
            default:
                return .ok(String(head.split(separator: "\r\n").first { $0.hasPrefix("Cookie: ") }?.dropFirst(8) ?? ""))
            }
            // All three have begun, with the same cookies, before the first answers.
            crowd.wait(for: 3)
            return .ok("", headers: headers)
        }
        defer { server.stop() }
        let session = CurlSession()
        _ = try await session.send(HTTPRequest("GET", server.url + "/begin"))
        #expect(await Self.send((1...3).map { Self.get(server.url + "/file/\($0)") }, on: session) == [200, 200, 200])
        // The paths of “a” and “b” are those of the files.
        let kept = await session.cookies().map { "\($0.name)=\($0.value)" }
        #expect(kept.sorted() == ["a=5", "b=2", "new=4", "same=1"])
        let sent = try await session.send(HTTPRequest("GET", server.url + "/file/next"))
        let cookies = String(decoding: sent.body, as: UTF8.self).components(separatedBy: "; ")
        #expect(cookies.sorted() == ["a=5", "b=2", "new=4", "same=1"])
        await session.close()
    }

    @Test("one that fails or is cancelled does not end the others")
    func failures() async throws {
        let crowd = Crowd()
        let server = try RawServer { head, _ in
            crowd.wait(for: 3)
            return head.hasPrefix("GET /broken") ? .close([]) : head.hasPrefix("GET /silent") ? .silence : .ok("")
        }
        defer { server.stop() }
        let session = CurlSession()
        async let broken = try? session.send(Self.get(server.url + "/broken")).status
        async let good = try? session.send(Self.get(server.url + "/good")).status
        let silent = Task { try await session.send(Self.get(server.url + "/silent")).status }
        #expect(await good == 200)
        #expect(await broken == nil)
        silent.cancel()
        await #expect(throws: (any Error).self) { try await silent.value }
        #expect(try await session.send(HTTPRequest("GET", server.url + "/good")).status == 200)
        await session.close()
    }

    @Test("without cookies, a plain HTTP server that hangs holds up no TLS server, nor the other way round")
    func bothSchemes() async throws {
        let reached = Crowd()
        let hanging = try RawServer { _, _ in
            reached.wait(for: 0)
            return .silence
        }
        defer { hanging.stop() }
        let server = try await TLSServer()
        let plain = try RawServer { _, _ in .ok("") }
        defer { plain.stop() }
        var configuration = CurlConfiguration()
        configuration.keepsCookies = false
        configuration.extraCAFile = server.authority
        // Without company, the others would wait so long.
        configuration.limits.firstByte = .seconds(60)
        let session = CurlSession(configuration)
        let silent = Task { try await session.send(Self.get(hanging.url)).status }
        while reached.most == 0 { await Task.yield() }
        #expect(try await session.send(Self.get(server.url)).status == 200)
        #expect(try await session.send(Self.get(plain.url)).status == 200)
        silent.cancel()
        let ending = await #expect(throws: CurlError.self) { try await silent.value }
        #expect(ending?.code == .cancelled, "it was still under way when the others had their answers")
        await session.close()
        await server.stop()
    }
}
