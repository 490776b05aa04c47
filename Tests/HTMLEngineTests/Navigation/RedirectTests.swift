import Secrets
import Testing

@testable import HTMLEngine

struct RedirectTests {
    private static let form = "<form action=/start method=post><input name=a value=1><button>Go</button></form>"

    @Test(
        "keeps or drops method and body as the Fetch Standard says",
        arguments: [
            (301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST"),
        ])
    func methods(status: Int, method: String) async throws {
        let site: LoopbackSite.Site = { asked in
            switch asked.path {
            case "/start": .redirect("end", status: status)
            case "/end": .html("<title>\(asked.method) \(asked.body)</title>")
            default: .html(Self.form)
            }
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            try await session.open(site.origin)
            let page = try await session.press(.button("Go"))
            #expect(page.title == (method == "GET" ? "GET" : "POST a=1"))
            let last = try #require(site.asked.last)
            #expect((last.headers["content-type"] != nil) == (method == "POST"))
        }
    }

    @Test("stops after twenty redirects, and names a loop")
    func circles() async throws {
        let site: LoopbackSite.Site = { asked in
            switch asked.path {
            case "/a": .redirect("/b?token=1")
            case "/b": .redirect("/a")
            case "/end": .html("<title>End</title>")
            default:
                Int(asked.path.dropFirst()).map { $0 == 20 ? .redirect("/end") : .redirect("/\($0 + 1)") } ?? .html("")
            }
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            let circle = await #expect(throws: NavigationError.self) { try await session.open(site.origin + "/a") }
            #expect(circle?.code == .redirectLoop)
            #expect(
                circle?.message.contains("/a → \(site.origin)/b?… → \(site.origin)/a") == true
                    || circle?.message.contains("/b?… → ") == true)
            #expect(circle?.message.contains("token") == false)
            #expect(site.asked.count == 21)
            #expect(try await session.open(site.origin + "/1").title == "End")
            let long = await #expect(throws: NavigationError.self) { try await session.open(site.origin + "/0") }
            #expect(long?.code == .tooManyRedirects)
        }
    }

    @Test(
        "sends nothing to a foreign origin, whatever leads there",
        arguments: ["redirect", "form", "link", "refresh", "frame", "image", "download", "json"])
    func egress(way: String) async throws {
        let elsewhere: LoopbackSite.Site = { _ in .html("foreign") }
        try await LoopbackSite.run(elsewhere) { foreign in
            let home: LoopbackSite.Site = { asked in
                if asked.path == "/out" { return .redirect(foreign.origin + "/?secret=1", status: 307) }
                return .html(
                    """
                    <a href="\(foreign.origin)/">Link</a><a href=/out>Out</a><iframe src="//127.0.0.1:\(foreign.port)/"></iframe>
                    <form method=post action="\(foreign.origin)"><input name=p type=password aria-label=P><button>Form</button></form>
                    <img src="\(foreign.origin)/i.png" alt=i>
                    \(way == "refresh" ? "<meta http-equiv=refresh content='0;url=\(foreign.origin)/'>" : "")
                    """)
            }
            try await LoopbackSite.run(home) { site in
                let session = try site.session()
                let error = await #expect(throws: EgressError.self) {
                    try await session.open(site.origin)
                    switch way {
                    case "redirect": try await session.follow(.link("Out"))
                    case "form":
                        try await session.fill(.field("P"), with: .secret(Secret("hunter22")))
                        try await session.press(.button("Form"))
                    case "link": try await session.follow(.link("Link"))
                    case "frame": try await session.enter(frame: .css("iframe"))
                    case "image": _ = try await session.image(.css("img"))
                    case "download":
                        _ = try await session.download(
                            .control(.link("Out")), to: .temporaryDirectory.appending(path: "never-\(site.port)"))
                    case "json":
                        _ = try await session.request(JSONRequest(method: "POST", reference: "/out", body: .null))
                    default: break
                    }
                }
                #expect(error?.asked == foreign.origin)
                #expect(foreign.asked.isEmpty)
            }
        }
    }

    @Test("repeats a form for another allowed origin, and no body of a script's request", arguments: [307, 308])
    func bodies(status: Int) async throws {
        let there: LoopbackSite.Site = { _ in .html("there") }
        try await LoopbackSite.run(there) { other in
            let leaving: LoopbackSite.Site = { asked in
                asked.method == "POST"
                    ? .redirect(other.origin + "/there", status: status)
                    : .html("<form method=post action=/in><input name=p aria-label=P><button>Go</button></form>")
            }
            try await LoopbackSite.run(leaving) { site in
                let session = try site.session(others: [other.origin])
                let error = await #expect(throws: NavigationError.self) {
                    try await session.request(
                        JSONRequest(
                            method: "POST", reference: site.origin + "/in",
                            body: .object(["pin": .value(.secret(Secret("pin-9876-of-a-redirect")))])))
                }
                #expect(error?.code == .bodyElsewhere && other.asked.isEmpty)
                try await session.open(site.origin)
                try await session.fill(.field("P"), with: .text("x"))
                try await session.press(.button("Go"))
                #expect(other.asked.first?.body == "p=x")
            }
        }
    }

    @Test("drops headers with secrets when the origin changes")
    func secretsAcrossOrigins() async throws {
        let answering: LoopbackSite.Site = { _ in .bytes(Array("{}".utf8), type: "application/json") }
        try await LoopbackSite.run(answering) { other in
            let leaving: LoopbackSite.Site = { _ in .redirect(other.origin + "/there", status: 307) }
            try await LoopbackSite.run(leaving) { site in
                let session = try site.session(others: [other.origin])
                _ = try await session.request(
                    JSONRequest(
                        method: "GET", reference: site.origin,
                        headers: [
                            ("X-Token", .secret(Secret("token-of-a-redirect"))), ("Authorization", .text("Bearer x")),
                            ("X-Plain", .text("p")),
                        ]))
                #expect(site.asked.first?.headers["x-token"] == "token-of-a-redirect")
                let asked = try #require(other.asked.first)
                #expect(asked.headers["x-token"] == nil)
                #expect(asked.headers["authorization"] == nil)
                #expect(asked.headers["x-plain"] == "p")
            }
        }
    }

    @Test("a fragment is inherited unless the redirect brings its own, and is never sent")
    func fragments() async throws {
        let site: LoopbackSite.Site = { asked in
            switch asked.path {
            case "/a": .redirect("/b")
            case "/c": .redirect("/b#own")
            default: .html("<a href='#x'>here</a>")
            }
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            #expect(try await session.open(site.origin + "/a#f").location.fragment == "f")
            #expect(try await session.open(site.origin + "/c#f").location.fragment == "own")
            try await session.follow(.link("here"))
            #expect(site.targets == ["GET /a", "GET /b", "GET /c", "GET /b"])
        }
    }
}
