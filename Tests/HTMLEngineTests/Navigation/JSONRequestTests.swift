import CurlClient
import Encodings
import Foundation
import Secrets
import Synchronization
import Testing

@testable import HTMLEngine

struct JSONRequestTests {
    private static let site: LoopbackSite.Site = { asked in
        switch asked.path {
        case "/app":
            .html(
                "<meta name=csrf-token content=m1><form><input type=hidden name=_token value=f1></form>",
                headers: [("set-cookie", "XSRF-TOKEN=c%3D1; Path=/"), ("x-csrf", "h1")])
        case "/api/documents":
            LoopbackSite.Answer(
                headers: [("content-type", "application/problem+json")],
                body: Array(#"{"items":[{"id":1,"month":"2026-01"},{"id":2,"month":"2026-02"}]}"#.utf8))
        case "/pdf": .bytes(Array("%PDF".utf8), type: "application/pdf")
        case "/text": .bytes(Array("a < b\n<b>c".utf8), type: "text/plain")
        default: .html("no JSON", status: 500)
        }
    }

    @Test(
        "sends the page's own token",
        arguments: [
            (TokenSource.cookie("XSRF-TOKEN"), "c=1"), (.header("X-CSRF"), "h1"), (.meta("csrf-token"), "m1"),
            (.field("_token"), "f1"), (.meta("none"), nil),
        ] as [(TokenSource, String?)])
    func tokens(source: TokenSource, expected: String?) async throws {
        try await LoopbackSite.run(Self.site) { site in
            let session = try site.session()
            try await session.open(site.origin + "/app")
            let token = try? await session.token(from: source)
            #expect(token?.revealed() == expected)
        }
    }

    @Test("sends secrets as leaves and headers, tells the observer, and leaves the page open")
    func exchange() async throws {
        try await LoopbackSite.run(Self.site) { site in
            let seen = Seen()
            let session = try site.session { $0.observer = { seen.append($0) } }
            try await session.open(site.origin + "/app")
            let answer = try await session.request(
                JSONRequest(
                    method: "POST", reference: "api/documents",
                    headers: [
                        ("X-XSRF-TOKEN", .secret(Secret("token=of-a-request"))),
                        ("accept", .text("application/vnd.x+json")),
                    ],
                    body: .object([
                        "pin": .value(.secret(Secret("pin-0042-of-a-request"))), "n": .number(2),
                        "list": .array([.null, .bool(true)]),
                        "t": .value(.text("ü")),
                    ])))
            #expect(answer.status == 200)
            #expect(try answer.values("$.items[?@.month=='2026-02'].id") == [2])
            #expect(await session.page?.url == site.origin + "/app")
            let asked = try #require(site.asked.last)
            #expect(asked.body == #"{"list":[null,true],"n":2,"pin":"pin-0042-of-a-request","t":"ü"}"#)
            #expect(asked.headers["x-xsrf-token"] == "token=of-a-request")
            #expect(asked.headers["accept"] == "application/vnd.x+json")
            #expect(asked.headers["content-type"] == "application/json")
            #expect(asked.headers["origin"] == site.origin)
            #expect(seen.all.map(\.status) == [200, 200])
            #expect(seen.all.last?.requestBody == Array(asked.body.utf8))
            let failed = try await session.request(JSONRequest(reference: "/broken"))
            #expect(failed.status == 500)
            #expect(failed.json == nil)
            #expect(try failed.values("$").isEmpty)
        }
    }

    @Test(
        "prevents methods and headers from starting a line of their own",
        arguments: [
            ("GET", "X-Token", "a\r\nX-Other: b"), ("GET", "X-Token", "a\nb"), ("GET", "X Token", "a"),
            ("GET", "X:", "a"),
            ("GET", "", "a"), ("GET", "Host", "evil.example"), ("GET", "content-length", "0"),
            ("GET / HTTP/1.1\r\nX: y\r\n", "X", "a"), ("", "X", "a"), ("CONNECT", "X", "a"),
        ])
    func injection(method: String, name: String, value: String) async throws {
        try await LoopbackSite.run(Self.site) { site in
            let session = try site.session()
            for value in [Input.text(value), .secret(Secret(value))] {
                let request = JSONRequest(method: method, reference: site.origin, headers: [(name, value)])
                let error = await #expect(throws: NavigationError.self) { try await session.request(request) }
                #expect(error?.code == .invalidRequest)
            }
            #expect(site.asked.isEmpty)
        }
    }

    @Test("a page that is not HTML has its own content type")
    func otherTypes() async throws {
        try await LoopbackSite.run(Self.site) { site in
            let session = try site.session()
            let json = try await session.open(site.origin + "/api/documents")
            #expect(json.contentType == "application/problem+json")
            #expect(json.json?["items"]?.arrayValue?.count == 2)
            #expect(json.text == "")
            let pdf = try await session.open(site.origin + "/pdf")
            #expect(pdf.contentType == "application/pdf")
            #expect(pdf.json == nil)
            #expect(try await session.open(site.origin + "/text").text == "a < b <b>c")
        }
    }

    @Test("sends the configured User-Agent and languages, the same every time")
    func introduction() async throws {
        try await LoopbackSite.run(Self.site) { site in
            let session = try site.session {
                $0.acceptLanguage = "de-CH, en;q=0.5"
                $0.http.userAgent = "Countersign/test"
            }
            try await session.open(site.origin + "/app")
            try await session.reload()
            #expect(site.asked.map { $0.headers["accept-language"] } == ["de-CH, en;q=0.5", "de-CH, en;q=0.5"])
            #expect(site.asked.map { $0.headers["user-agent"] } == ["Countersign/test", "Countersign/test"])
        }
    }

    @Test("cookies marked Secure, in any spelling, are never sent over plain HTTP")
    func secureCookies() async throws {
        let site: LoopbackSite.Site = { _ in
            var answer = LoopbackSite.Answer.html("<a href=/next>Next</a>")
            for cookie in ["a=1; Secure", "b=1; secure=x", "c=1;SECURE ; Path=/", "d=1; Path=/"] {
                answer.headers.append(("set-cookie", cookie))
            }
            return answer
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            try await session.open(site.origin)
            try await session.follow(.link("Next"))
            #expect(site.asked.last?.headers["cookie"] == "d=1")
        }
    }
}

/// The exchanges that an observer received.
private final class Seen: Sendable {
    private let exchanges = Mutex<[Exchange]>([])
    var all: [Exchange] { exchanges.withLock { $0 } }
    func append(_ exchange: Exchange) { exchanges.withLock { $0.append(exchange) } }
}
