import CurlClient
import Foundation
import Phone
import PhoneStore
import TestParties
import Testing

@testable import ApprovalPage

@Suite("The approval page behind a proxy", .timeLimit(.minutes(3)))
struct ProxyPageTests {
    private static let origin = "https://phone.example:8443"
    private static let forwarded = [("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "192.0.2.7")]

    /// Sends a request as the proxy does.
    private static func send(
        _ method: String, _ path: String, to page: OpenedPage, host: String = "phone.example:8443",
        _ headers: [(String, String)] = forwarded, body: String? = nil
    ) async throws -> HTTPResponse {
        let session = CurlSession()
        var all = [HTTPHeader("Host", host)] + headers.map { HTTPHeader($0.0, $0.1) }
        if body != nil {
            all += [
                HTTPHeader("Origin", origin), HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
            ]
        }
        let response = try await session.send(
            HTTPRequest(
                method, "http://127.0.0.1:\(page.port)\(path)", headers: all, body: body.map { Array($0.utf8) }))
        await session.close()
        return response
    }

    private static func opening(_ body: @escaping @Sendable (OpenedPage) async throws -> Void) async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.hostName = "phone.example"
            configuration.security = .behindProxy(try ProxyOrigin(origin))
            try await phone.opening(configuration) { page, _ in try await body(page) }
        }
    }

    @Test("it answers under the proxy's name only, to browsers that came over https")
    func names() async throws {
        try await Self.opening { page in
            #expect(page.origin == Self.origin)
            #expect(try await Self.send("GET", "/", to: page).status == 200)
            for host in ["localhost:\(page.port)", "127.0.0.1:\(page.port)", "phone.example", "evil.example:8443"] {
                #expect(try await Self.send("GET", "/", to: page, host: host).status == 421, "\(host)")
            }
            let bad: [[(String, String)]] = [
                [], [("X-Forwarded-Proto", "https")], [("X-Forwarded-For", "192.0.2.7")],
                [("X-Forwarded-Proto", "http"), ("X-Forwarded-For", "192.0.2.7")],
                [("X-Forwarded-Proto", "https, http"), ("X-Forwarded-For", "192.0.2.7")],
                [("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "somewhere")],
            ]
            for headers in bad {
                let refused = try await Self.send("GET", "/", to: page, headers)
                #expect(refused.status == 421, "\(headers)")
                #expect(String(decoding: refused.body, as: UTF8.self).contains("X-Forwarded-"), "\(headers)")
            }
        }
    }

    @Test("its cookie and its policy are those of a page with TLS")
    func cookie() async throws {
        try await Self.opening { page in
            let code = TestPhone.code(in: page).revealed()
            let entered = try await Self.send("POST", "/", to: page, body: "code=\(code)")
            #expect(entered.status == 303)
            let cookie = try #require(entered.header("Set-Cookie"))
            #expect(cookie.hasPrefix("__Secure-countersign-8443=") && cookie.contains("; Secure"), "\(cookie)")
            #expect(entered.header("Strict-Transport-Security") != nil)
        }
    }

    @Test("wrong passphrases of one browser do not slow down another")
    func tries() async throws {
        try await Self.opening { page in
            let code = TestPhone.code(in: page).revealed()
            let entered = try await Self.send("POST", "/", to: page, body: "code=\(code)")
            let place = try #require(entered.header("Location")).dropLast()
            let cookie = try #require(entered.header("Set-Cookie")).prefix { $0 != ";" }
            func tryOnce(from address: String) async throws -> Int {
                let headers = [
                    ("X-Forwarded-Proto", "https"), ("Cookie", String(cookie)),
                    // The first part is what a browser can invent; the proxy's own word comes last.
                    ("X-Forwarded-For", "203.0.113.\(Int.random(in: 1...254)), \(address)"),
                ]
                let page1 = try await Self.send("GET", "\(place)/", to: page, headers)
                let token = String(decoding: page1.body, as: UTF8.self).firstMatch(of: /data-csrf="([^"]+)"/)?.1 ?? ""
                return try await Self.send(
                    "POST", "\(place)/sign-in", to: page, headers, body: "csrf=\(token)&passphrase=not%20this%20one"
                ).status
            }
            var answers: [Int] = []
            for _ in 0..<Int(SignInLimit.burst) + 2 { answers.append(try await tryOnce(from: "192.0.2.7")) }
            #expect(answers.first == 403 && answers.contains(429), "\(answers)")
            #expect(try await tryOnce(from: "192.0.2.8") == 403)
        }
    }

    @Test("without a proxy the headers are a stranger's words, and change nothing")
    func ignored() async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, _ in
                let host = "localhost:\(page.port)"
                let plain = try await Self.send("GET", "/", to: page, host: host, [])
                #expect(plain.status == 200)
                let invented = [("X-Forwarded-Proto", "http"), ("X-Forwarded-For", "an invention")]
                #expect(try await Self.send("GET", "/", to: page, host: host, invented).status == 200)
            }
        }
    }

    @Test(
        "an origin is an https address without a path",
        arguments: [
            ("https://phone.example", 443), ("https://phone.example/", 443), ("https://phone.example:8443", 8443),
            ("http://phone.example", nil), ("phone.example", nil), ("https://phone.example/page", nil),
            ("https://name@phone.example", nil), ("https://phone.example:99999", nil), ("https://", nil),
        ] as [(String, Int?)])
    func origins(_ text: String, port: Int?) {
        #expect((try? ProxyOrigin(text))?.port == port)
    }

    @Test(
        "the page stays on this machine, under the proxy's name",
        arguments: [("phone.example", "0.0.0.0"), ("other.example", "127.0.0.1"), ("192.0.2.1", "127.0.0.1")])
    func refused(_ name: String, _ address: String) throws {
        let origin = try ProxyOrigin(name.hasPrefix("192") ? "https://192.0.2.1" : "https://phone.example")
        #expect(throws: PhoneError.self) {
            try PageServerConfiguration(hostName: name, address: address, security: .behindProxy(origin)).check()
        }
    }
}
