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
}
