import Testing
import WebURL

@testable import HTMLEngine

struct ReferrerPolicyTests {
    @Test(
        "reveals what the policy allows: to the same origin, another one, and plain http",
        arguments: [
            ("no-referrer", nil, nil, nil), ("no-referrer-when-downgrade", "full", "full", nil),
            ("same-origin", "full", nil, nil),
            ("origin", "origin", "origin", "origin"), ("strict-origin", "origin", "origin", nil),
            ("origin-when-cross-origin", "full", "origin", "origin"),
            ("strict-origin-when-cross-origin", "full", "origin", nil),
            ("unsafe-url", "full", "full", "full"),
        ] as [(String, String?, String?, String?)])
    func values(policy: String, same: String?, other: String?, downgrade: String?) throws {
        let page = try URLRecord(parsing: "https://me:pw@bank.example/a?b#c")
        let words = ["full": "https://bank.example/a?b", "origin": "https://bank.example/"]
        let policy = try #require(ReferrerPolicy(list: "nonsense, \(policy)"))
        for (target, expected) in [
            ("https://bank.example/x", same), ("https://x.example/", other), ("http://bank.example/", downgrade),
        ] {
            #expect(policy.value(from: page, to: try URLRecord(parsing: target)) == expected.flatMap { words[$0] })
        }
    }

    @Test("uses the policy of the header, the page's meta and the link")
    func sources() async throws {
        let site: LoopbackSite.Site = { asked in
            let links =
                "<a href=/x>plain</a><a href=/x rel='nofollow noreferrer'>quiet</a><a href=/x referrerpolicy=origin>short</a>"
            return switch asked.path {
            case "/header": .html(links, headers: [("referrer-policy", "origin")])
            case "/meta":
                .html("<meta name=referrer content=no-referrer>" + links, headers: [("referrer-policy", "origin")])
            default: .html(links)
            }
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            for (path, link, expected) in [
                ("/page", "plain", "/page"), ("/page", "quiet", nil), ("/page", "short", "/"),
                ("/header", "plain", "/"), ("/meta", "plain", nil),
            ] as [(String, String, String?)] {
                try await session.open(site.origin + path)
                try await session.follow(.link(.name(link)))
                #expect(site.asked.last?.headers["referer"] == expected.map { site.origin + $0 })
            }
        }
    }
}
