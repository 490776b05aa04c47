import Foundation
import Testing

@testable import CurlClient

@Suite("Cookies that libcurl reads otherwise than browsers")
struct SetCookieTests {
    /// Returns the `Cookie` field that follows an answer with these cookies.
    private func sent(after fields: [String], at path: String = "/folder/page") async throws -> [String] {
        let head = fields.map { "Set-Cookie: \($0)\r\n" }.joined()
        let server = try RawServer { request, _ in
            if request.hasPrefix("GET \(path) ") { return .ok("", headers: head) }
            return .ok(
                request.split(separator: "\r\n").first { $0.hasPrefix("Cookie: ") }.map { String($0.dropFirst(8)) }
                    ?? "")
        }
        defer { server.stop() }
        let session = CurlSession(CurlConfiguration())
        _ = try await session.send(HTTPRequest("GET", server.url + path))
        let answer = try await session.send(HTTPRequest("GET", server.url + "/folder/next"))
        await session.close()
        return String(decoding: answer.body, as: UTF8.self).split(separator: "; ").map(String.init).sorted()
    }

    @Test(
        "are kept, sent and ended as RFC 6265bis says",
        arguments: [
            (["a=1; Path=\"/elsewhere\""], ["a=1"]),
            (["a=1; Path=/", "b=2; Path=/", "a=; Path=/; expires=Thu, 01-Jan-70 00:00:01 GMT"], ["b=2"]),
            (["a=1; Path=/", "a=; expires=Thu, 01-Jan-70 00:00:01 GMT; path=/"], []), (["a=1; Path=/other"], []),
            (["a=1; expires=Thu, 01 Jan 2099 00:00:00 GMT"], ["a=1"]),
            (["a=1; Max-Age=abc"], ["a=1"]), (["a=1; Max-Age="], ["a=1"]), (["a=1; Max-Age=1d"], ["a=1"]),
            (["a=1; Max-Age=abc; Expires=Sun, 06-Nov-94 08:49:37 GMT"], []),
            (["a=1; Max-Age=100"], ["a=1"]), (["a=1", "a=2; Max-Age=-1"], []),
            (["a=1; Expires=Sun, 06-Nov-94 08:49:37 GMT"], []),
            (["a=1; Path=\"/x\"; Domain=elsewhere.example"], []),
        ])
    func cases(fields: [String], cookies: [String]) async throws {
        #expect(try await sent(after: fields) == cookies)
    }

    private static func many(_ count: Int, _ rest: String = "; Path=/") -> [String] {
        (0..<count).map { "k\($0)=\($0)\(rest)" }
    }

    @Test(
        "are all taken from an answer with many", arguments: [49, 50, 51, 60, 120])
    func many(count: Int) async throws {
        let names = try await sent(after: Self.many(count)).compactMap { $0.split(separator: "=").first }
        #expect(Set(names) == Set((0..<count).map { "k\($0)" }))
    }

    @Test(
        "beyond the fiftieth of an answer keep to the rules",
        arguments: [
            (["z=1; Path=/; Domain=elsewhere.example"], []), (["z=1; Path=/; Secure"], []),
            (["__Host-z=1; Path=/"], []), (["z=1; Path=/other"], []), (["z=1", "z=2; Path=/folder"], ["z=2"]),
            (["k0=; Path=/; Max-Age=0", "z=1"], ["z=1"]), (["z=\(String(repeating: "x", count: 4096))"], []),
            (["z=a\tb"], []), (["lonely"], []),
        ])
    func late(fields: [String], cookies: [String]) async throws {
        let sent = try await sent(after: Self.many(50) + fields)
        #expect(sent.filter { !$0.hasPrefix("k") } == cookies)
        #expect(sent.contains("k0=0") == !fields[0].hasPrefix("k0"))
    }

    @Test("of a wider domain are taken beyond the fiftieth where the answer has another one of it")
    func wide() async throws {
        let server = try RawServer { request, _ in
            .ok(
                request.split(separator: "\r\n").first { $0.hasPrefix("Cookie: ") }.map { String($0.dropFirst(8)) }
                    ?? "",
                headers: request.hasPrefix("GET /set ")
                    ? (["w=1; Path=/; Domain=bank.example"] + Self.many(50) + [
                        "z=1; Path=/; Domain=bank.example", "y=1; Path=/; Domain=example",
                        "x=1; Path=/; Domain=nk.example",
                    ]).map { "Set-Cookie: \($0)\r\n" }.joined() : "")
        }
        defer { server.stop() }
        var configuration = CurlConfiguration()
        configuration.resolve = ["one.bank.example", "two.bank.example"].map { "\($0):\(server.port):127.0.0.1" }
        let session = CurlSession(configuration)
        _ = try await session.send(HTTPRequest("GET", "http://one.bank.example:\(server.port)/set"))
        let answer = try await session.send(HTTPRequest("GET", "http://two.bank.example:\(server.port)/"))
        await session.close()
        #expect(String(decoding: answer.body, as: UTF8.self).split(separator: "; ").sorted() == ["w=1", "z=1"])
    }

    /// libcurl takes no cookie by hand after such an answer, and the session puts some by hand after each.
    @Test("that were there before an answer with many stay", arguments: [false, true])
    func before(isBeside: Bool) async throws {
        let server = try RawServer { request, _ in
            if request.hasPrefix("GET /many ") {
                return .ok("", headers: (Self.many(60) + ["q=1; Path=\"/q\""]).map { "Set-Cookie: \($0)\r\n" }.joined())
            }
            return .ok(
                request.split(separator: "\r\n").first { $0.hasPrefix("Cookie: ") }.map { String($0.dropFirst(8)) }
                    ?? "")
        }
        defer { server.stop() }
        let session = CurlSession(CurlConfiguration())
        await session.put([
            HTTPCookie(name: "before", value: "1", domain: "127.0.0.1"),
            HTTPCookie(name: "secure", value: "1", domain: "127.0.0.1", isSecure: true),
        ])
        var request = HTTPRequest("GET", server.url + "/many")
        request.mayRunBesideOthers = isBeside
        async let other = session.send(request)
        _ = try await session.send(request)
        _ = try await other
        for _ in 0..<2 {
            let answer = try await session.send(HTTPRequest("GET", server.url + "/next"))
            let sent = String(decoding: answer.body, as: UTF8.self).split(separator: "; ")
            #expect(sent.count == 62 && sent.contains("before=1") && sent.contains("k59=59") && sent.contains("q=1"))
        }
        #expect(await session.cookies().contains { $0.name == "secure" })
        await session.close()
    }
}
