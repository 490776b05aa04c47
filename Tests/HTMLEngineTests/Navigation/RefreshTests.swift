import Testing

@testable import HTMLEngine

struct RefreshTests {
    @Test(
        "parses the value as the standard does",
        arguments: [
            ("0;url=/x", 0, "/x"), ("5; URL = '/x y'z", 5, "/x y"), (" 1 , /x", 1, "/x"), ("2 url=/x", 2, "/x"),
            ("3.9;/x", 3, "/x"),
            ("0;urlx", 0, "urlx"), ("0;url", 0, "url"), (".5;u", 0, "u"), ("7", 7, nil), ("7;", 7, nil),
            ("0;url=\"/x", 0, "/x"),
            ("99999999999999999999;/x", 1 << 40, "/x"),
        ] as [(String, Int64, String?)])
    func parsing(text: String, seconds: Int64, reference: String?) {
        #expect(Refresh(text)?.delay == .seconds(seconds))
        #expect(Refresh(text)?.reference == reference)
    }

    @Test("reads nothing from an invalid value", arguments: ["", "x", ";url=/x", "-1;url=/x", "1x"])
    func refusals(text: String) {
        #expect(Refresh(text) == nil)
    }

    @Test("follows an immediate refresh, but not one that ends the session or reloads the page")
    func following() async throws {
        let site: LoopbackSite.Site = { asked in
            switch asked.path {
            case "/meta": .html("<meta http-equiv=refresh content='0;url=/header'>")
            case "/header": .html("", headers: [("refresh", "0; url=/end")])
            case "/later": .html("<title>Later</title><meta http-equiv=refresh content='600;url=/logout'>")
            case "/self": .html("<title>Self</title><meta http-equiv=refresh content='0'>")
            case "/noscript":
                .html("<title>Noscript</title><noscript><meta http-equiv=refresh content='0;url=/x'></noscript>")
            case "/ever": .html("<meta http-equiv=refresh content='0;url=/ever?\(asked.target.count)'>")
            default: .html("<title>End</title>")
            }
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            #expect(try await session.open(site.origin + "/meta").title == "End")
            #expect(site.asked.last?.headers["referer"] == site.origin + "/header")
            #expect(try await session.open(site.origin + "/later").title == "Later")
            #expect(try await session.open(site.origin + "/self").title == "Self")
            #expect(try await session.open(site.origin + "/noscript").title == "Noscript")
            #expect(try await session.back().title == "Self")
            #expect(site.targets.count == 6)
        }
    }

    @Test(
        "stays on a page whose refresh brings a file, as a browser does",
        arguments: [
            ("application/pdf", nil, true), ("application/octet-stream", nil, true),
            ("text/html", "attachment; filename=x.html", true), ("text/csv", " Attachment", true),
            ("text/html", "inline", false), ("text/plain", nil, false), ("application/json", nil, false),
            ("application/xhtml+xml", nil, false),
        ] as [(String, String?, Bool)])
    func files(type: String, disposition: String?, stays: Bool) async throws {
        let site: LoopbackSite.Site = { asked in
            if asked.path == "/" {
                return .html("<title>Your download starts</title><meta http-equiv=refresh content='0;url=/f'>")
            }
            var answer = LoopbackSite.Answer.html("<title>File</title>")
            answer.headers = [("content-type", type)] + (disposition.map { [("content-disposition", $0)] } ?? [])
            return answer
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session()
            let page = try await session.open(site.origin)
            #expect(page.path == (stays ? "/" : "/f"))
            #expect(try await session.currentPage.path == page.path)
            #expect(site.targets == ["GET /", "GET /f"])
        }
    }

    @Test("does not refresh forever")
    func endless() async throws {
        let site: LoopbackSite.Site = {
            .html("<meta http-equiv=refresh content='0;url=\($0.target == "/a" ? "/b" : "/a")'>")
        }
        try await LoopbackSite.run(site) { site in
            let session = try site.session { $0.maximumRedirects = 3 }
            let error = await #expect(throws: NavigationError.self) { try await session.open(site.origin) }
            #expect(error?.code == .tooManyRedirects)
            #expect(site.asked.count == 4)
        }
    }
}
