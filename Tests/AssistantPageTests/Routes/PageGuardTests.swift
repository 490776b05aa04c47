import Assistant
import AssistantProcesses
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import Testing
import WebServing

@testable import AssistantPage

@Suite("The guard of the assistant's pages") struct PageGuardTests {
    /// Every route that a browser posts to once it is signed in, with a complete form or call.
    private static let posts: [(path: String, form: [String: String]?, json: JSONValue?)] = [
        ("/sign-out", [:], nil), ("/connections/con_1/end", [:], nil), ("/connections/google/start", nil, [:]),
        ("/settings/preferences", ["minutes": "5"], nil), ("/settings/notices", [:], nil),
        ("/settings/devices/remove", ["device": "phone"], nil), ("/settings/language", ["language": "de"], nil),
        ("/notifications", nil, ["subscription": [:]]),
        ("/notifications/remove", nil, [:]), ("/confirmations/c1", ["decision": "approve"], nil),
        ("/briefs/b1/open", nil, [:]), ("/alerts/a1/feedback", ["urgent": "no"], nil),
        ("/data/delete", ["understood": "on"], nil),
    ]

    @Test("the table of posts below is whole")
    func whole() {
        let stage = PagesStage()
        let router = PageRoutes(settings: stage.settings, renewals: TokenRenewals(), now: { PagesStage.now }).router()
        let posted = router.routes.filter { $0.method == .post }.map(\.path.description)
            .filter { !$0.hasPrefix("/sign-in/") }
        #expect(posted.count == Self.posts.count, "\(posted)")
    }

    @Test("no post without the form token of its browser reaches the API", arguments: posts.indices)
    func formToken(index: Int) async throws {
        let (path, form, json) = Self.posts[index]
        let stage = PagesStage()
        let session = stage.session()
        for isOther in [false, true] {
            let answer = try await stage.send(
                .post, path, session, form: form, json: json, sendsToken: false
            ) { headers in
                guard isOther else { return }
                headers[.csrfToken] = stage.session("two").formToken
            }
            #expect(answer.status == 403, "\(path)")
        }
        #expect(stage.api.calls.isEmpty)
    }

    @Test("no post from another origin, or without one, reaches the API", arguments: posts.indices)
    func origin(index: Int) async throws {
        let (path, form, json) = Self.posts[index]
        let stage = PagesStage()
        for origin in [nil, "https://evil.example", "null", "http://assistant.example"] {
            let answer = try await stage.send(.post, path, stage.session(), form: form, json: json) {
                $0[.origin] = origin
            }
            #expect(answer.status == 403, "\(path) from \(origin ?? "nowhere")")
        }
        let answer = try await stage.send(.post, path, stage.session(), form: form, json: json) {
            $0[.secFetchSite] = "cross-site"
        }
        #expect(answer.status == 403)
        #expect(stage.api.calls.isEmpty)
    }

    @Test("the sign-in takes calls of its own page only")
    func signInOrigin() async throws {
        let stage = PagesStage()
        let answer = try await stage.send(.post, "/sign-in/login/finish", json: ["challenge_id": "c"]) {
            $0[.origin] = "https://evil.example"
        }
        #expect(answer.status == 403 && stage.api.calls.isEmpty)
    }

    @Test("another host name is refused, so that no other site's name leads here")
    func host() async throws {
        let stage = PagesStage()
        for host in ["evil.example", "assistant.example.evil.example", "assistant.example:8790", "xassistant.example"] {
            #expect(try await stage.send(.get, "/", stage.session(), host: host).status == 421, "\(host)")
        }
        #expect(stage.api.calls.isEmpty)
    }

    @Test("every answer has the security headers, and is not stored")
    func headers() async throws {
        let stage = PagesStage()
        for (path, session) in [("/", stage.session()), ("/sign-in", nil), ("/settings", nil)] {
            let headers = try await stage.send(.get, path, session).headers
            let policy = try #require(headers[.contentSecurityPolicy])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; ") && !policy.contains("unsafe"))
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"))
            #expect(headers[.cacheControl] == "no-store" && headers[.xContentTypeOptions] == "nosniff")
            #expect(headers[.strictTransportSecurity] != nil)
        }
    }

    @Test("Google's way back under another name of this machine leads to the name that has the session")
    func loopback() async throws {
        let stage = PagesStage { configuration in
            configuration.publicURL = URL(string: "http://localhost:8790")
            configuration.google = GoogleSettings(clientID: "client")
            configuration.google?.redirectURIs = ["http://127.0.0.1:8790/connections/google/callback"]
        }
        #expect(stage.settings.redirectURI == "http://127.0.0.1:8790/connections/google/callback")
        let path = "/connections/google/callback?code=a%2Fb&state=s"
        let answer = try await stage.send(.get, path, host: "127.0.0.1:8790")
        #expect(answer.status == 303 && answer.headers[.location] == "http://localhost:8790" + path)
        #expect(try await stage.send(.get, path, host: "127.0.0.1:9").status == 421)
        #expect(try await stage.send(.get, path, host: "evil.example:8790").status == 421)
        #expect(try await stage.send(.get, "/settings", host: "127.0.0.1:8790").status == 421)
    }

    @Test("a stranger sees the sign-in only, and returns to where they wanted to be")
    func stranger() async throws {
        let stage = PagesStage()
        for (path, back) in [
            ("/", "/sign-in"), ("/settings", "/sign-in?back=/settings"), ("/data/export", "/sign-in"),
            ("/briefs/b-1", "/sign-in?back=/briefs/b-1"), ("/connections/google/callback?code=c&state=s", "/sign-in"),
        ] {
            let answer = try await stage.send(.get, path)
            #expect(answer.status == 303 && answer.headers[.location] == back, "\(path)")
        }
        #expect(stage.api.calls.isEmpty)
    }

    @Test(
        "the way back leads to these pages only",
        arguments: [
            "https://evil.example", "//evil.example", "/\\evil.example", "/briefs/../x", "/settings/x", "x", "",
        ])
    func back(text: String) {
        #expect(PageReturn(text).path == "/")
    }
}
