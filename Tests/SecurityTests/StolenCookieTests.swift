import ApprovalPage
import CurlClient
import Foundation
import Hummingbird
import Synchronization
import TestParties
import TestServers
import Testing

@Suite("Another user's server gets the page's cookie", .timeLimit(.minutes(3)))
struct StolenCookieTests {
    /// A server at another port of the same host, which keeps the cookies that browsers send it.
    private static func collecting(
        _ body: @escaping @Sendable (Int, @escaping @Sendable () -> [String]) async throws -> Void
    ) async throws {
        let seen = Cookies()
        let router = Router()
        router.get("**") { request, _ in
            seen.add(request.headers[values: .cookie].joined(separator: "; "))
            return "nothing"
        }
        try await LoopbackServer.run(router) { port in try await body(port) { seen.all } }
    }

    private final class Cookies: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    @Test("a browser that is signed in sends its cookie to no other port")
    func otherPort() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                #expect(try await !browser.signIn().isEmpty)
                let cookies = await browser.session.cookies()
                let port = try #require(URL(string: browser.origin)?.port)
                #expect(cookies.map(\.name) == ["countersign-\(port)"])
                try await Self.collecting { port, seen in
                    for path in ["/history", "/at", "/at/", "/at/somewhere/"] {
                        _ = try await browser.session.send(
                            CurlClient.HTTPRequest("GET", "http://localhost:\(port)\(path)"))
                    }
                    #expect(seen() == ["", "", "", ""])
                }
            }
        }
    }

    @Test("a cookie opens nothing without its folder, nor at another phone's page")
    func replayed() async throws {
        try await TestPhone.with { phone in
            try await TestPhone.with { other in
                try await phone.serving { browser, _ in
                    try await other.serving { foreign, _ in
                        #expect(try await !browser.signIn().isEmpty)
                        let cookie = try #require(await browser.session.cookies().first)
                        for (origin, path) in [
                            (browser.origin, "/history"), (browser.origin, "/at/AAAAAAAAAAAAAAAAAAAAAA/history"),
                            (foreign.origin, browser.base + "/history"), (foreign.origin, foreign.base + "/history"),
                        ] {
                            let port = try #require(URL(string: origin)?.port)
                            let answer = try await CurlSession().send(
                                CurlClient.HTTPRequest(
                                    "GET", origin + path,
                                    headers: [HTTPHeader("Cookie", "countersign-\(port)=\(cookie.value)")]))
                            #expect(answer.status == 303 || answer.status == 404, "\(path)")
                        }
                    }
                }
            }
        }
    }
}
