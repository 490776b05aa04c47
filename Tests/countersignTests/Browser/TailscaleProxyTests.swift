import CurlClient
import Foundation
import Secrets
import TestParties
import TestServers
import TestSupport
import Testing

@testable import ApprovalPage

/// The page behind a proxy that does with headers what `tailscale serve` does, asked by clients that invent them.
@Suite("The page behind tailscale serve", .timeLimit(.minutes(4)))
struct TailscaleProxyTests {
    private static let host = "machine.tailnet-name.ts.net"
    private static let invented = [
        HTTPHeader("Tailscale-User-Login", TailscaleStandIn.user), HTTPHeader("Tailscale-User-Name", "Ada Lovelace"),
        HTTPHeader("Tailscale-App-Capabilities", "{}"), HTTPHeader("Tailscale-Headers-Info", "invented"),
        HTTPHeader("X-Forwarded-Host", "evil.example"), HTTPHeader("X-Forwarded-Proto", "http"),
        HTTPHeader("Forwarded", "for=203.0.113.9;proto=http;host=evil.example"),
    ]

    @Test(
        "a client's own words about itself change nothing: neither who it is, nor where it comes from", .needs("nginx"))
    func invented() async throws {
        try await Self.behindProxy { page, session in
            var browser = PageBrowser(page.origin, session)
            browser.invented = Self.invented
            #expect(try await browser.get("/").status == 200)
            // A user of the tailnet needs the terminal's code and the passphrase, too.
            let elsewhere = try await browser.get("/at/somewhere/")
            #expect(elsewhere.status == 303 && elsewhere.header("Location") == "/")
            #expect(try await browser.page().contains("Code from the terminal"))
            #expect(try await browser.enter(TestPhone.code(in: page)) == 303)
            #expect(try await browser.page().contains("Unlock with passphrase"))
            // Each try from another invented address counts for the one that the proxy names.
            var answers: [Int] = []
            for number in 1...Int(SignInLimit.burst) + 2 {
                browser.invented = Self.invented + [HTTPHeader("X-Forwarded-For", "203.0.113.\(number)")]
                answers.append(try await browser.signIn(passphrase: "not the one of this phone").status)
            }
            #expect(answers.first == 403 && answers.last == 429, "\(answers)")
        }
    }

    @Test("another host name is refused, whatever X-Forwarded-Host says", .needs("nginx"))
    func otherHost() async throws {
        try await Self.behindProxy { page, session in
            var browser = PageBrowser(page.origin, session)
            browser.host = "evil.example"
            browser.invented = [HTTPHeader("X-Forwarded-Host", page.origin.replacing("https://", with: ""))]
            let refused = try await browser.get("/")
            #expect(refused.status == 421)
        }
    }

    @Test("a program of this machine that names a user of the tailnet is asked for the code, too")
    func direct() async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.hostName = Self.host
            configuration.security = .behindProxy(try ProxyOrigin("https://\(Self.host)"))
            try await phone.opening(unlocked: true, configuration) { page, _ in
                var browser = PageBrowser("http://127.0.0.1:\(page.port)")
                browser.host = Self.host
                browser.invented = [
                    HTTPHeader("Tailscale-User-Login", TailscaleStandIn.user), HTTPHeader("X-Forwarded-Proto", "https"),
                    HTTPHeader("X-Forwarded-For", "100.101.102.103"),
                ]
                let elsewhere = try await browser.get("/at/somewhere/")
                #expect(elsewhere.status == 303 && elsewhere.header("Location") == "/")
                #expect(try await browser.page().contains("Code from the terminal"))
            }
        }
    }

    /// Runs `body` with the page of a locked phone and a client that trusts the stand-in's certificate.
    private static func behindProxy(_ body: @escaping @Sendable (OpenedPage, CurlSession) async throws -> Void)
        async throws
    {
        try await TestPhone.with { phone in
            let own = try OwnCertificate(in: phone.home, for: host)
            try await RecipeProxy.atFreePort { port in
                var configuration = TestPhone.pageConfiguration
                configuration.hostName = host
                configuration.security = .behindProxy(try ProxyOrigin("https://\(host):\(port)"))
                try await phone.opening(configuration) { page, _ in
                    let proxy = try RecipeProxy(RecipeProxy.tailscale, at: port, host: host, to: page.port, own)
                    defer { proxy.stop() }
                    try await proxy.isReady()
                    var trusting = CurlConfiguration()
                    trusting.extraCAFile = PageAuthority.file(in: phone.home.folder, for: host)
                    trusting.resolve = ["\(host):\(port):127.0.0.1"]
                    let session = CurlSession(trusting)
                    try await body(page, session)
                    await session.close()
                }
            }
        }
    }
}
