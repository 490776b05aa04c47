import CurlClient
import Foundation
import HTMLEngine
import Markup
import Secrets
import Testing

@testable import HTMLAutomation

@Suite("Masking")
struct MaskTests {
    @Test(
        "account numbers and amounts lose their digits; years, days and page numbers keep them",
        arguments: [
            ("40 2071 8836", "•• •••• ••••"),
            ("£1,234.56", "£•,•••.••"),
            ("£12", "£••"),
            ("12 EUR", "•• EUR"),
            ("3.000,00", "•.•••,••"),
            ("12.30", "••.••"),
            ("DE89 3704 0044 0532 0130 00", "DE•• •••• •••• •••• •••• ••"),
            ("the phone ending in 42", "the phone ending in ••"),
            ("card 4111-1111-1111-1111", "card ••••-••••-••••-••••"),
            ("+44 20 7946 0958", "+•• •• •••• ••••"),
            ("January 2026", "January 2026"),
            ("31 January 2026", "31 January 2026"),
            ("2026-01", "2026-01"),
            ("01.02.2026", "01.02.2026"),
            ("01/2026", "01/2026"),
            ("at 09:30", "at 09:30"),
            ("1–31", "1–31"),
            ("Page 1 of 2", "Page 1 of 2"),
            ("2026 2025 2024", "2026 2025 2024"),
            ("2071", "2071"),
            ("8836", "••••"),
            ("رقم ٤٠٢٠٧١٨٨", "رقم ••••••••"),
            ("http://localhost:18443/accounts", "http://localhost:18443/accounts"),
            ("no digits at all", "no digits at all"),
        ])
    func numbers(text: String, masked: String) {
        #expect(NumberMask.masked(text) == masked)
    }

    @Test(
        "addresses keep their shape, and the names in their query",
        arguments: [
            ("https://b.example/statements?year=2026&page=2", "https://b.example/statements?year=2026&page=2"),
            ("https://b.example/a?sessionid=abc", "https://b.example/a?sessionid=%E2%80%A2%E2%80%A2%E2%80%A2"),
            ("https://me:pw@b.example:8443/a#x", "https://b.example:8443/a"),
            (
                "https://b.example/accounts/40207188",
                "https://b.example/accounts/" + String(repeating: "%E2%80%A2", count: 8)
            ),
            ("/s/3f2a9c0b7d6e4f1a8b5c2d9e/x", "/s/%E2%80%A2%E2%80%A2%E2%80%A2/x"),
        ])
    func addresses(url: String, masked: String) {
        #expect(Mask().url(url) == masked)
    }

    @Test(
        "a secret that holds digits goes as a whole, in a text, an address, and a page",
        arguments: ["geheim-7712", "Hund4711katze", "12-Berge-3412", "ostland4711", "Sommer2026!"])
    func secretsWithDigits(_ text: String) throws {
        let secret = Secret(text)
        var mask = Mask()
        for invention in [nil, Invention()] {
            mask.invention = invention
            #expect(mask.text("signed in with \(text), 40 2071 8836").hasPrefix("signed in with •••, "))
            #expect(mask.url("https://b.example/of/\(text)/x") == "https://b.example/of/%E2%80%A2%E2%80%A2%E2%80%A2/x")
            let document = try Document.parse(
                Array("<title>\(text)</title><p title='\(text)'>\(text)<input type=submit value='\(text)'>".utf8),
                url: "https://b.example/")
            let html = SanitisedPage(document, mask: mask, use: .replay).html
            #expect(html.ranges(of: "•••").count == 4 && !html.contains(text.prefix(4)), "\(html)")
        }
        secret.wipe()
    }

    @Test(
        "a refresh keeps its seconds, and the shape of its address",
        arguments: [
            ("1;URL=/portal/uebersicht", "1; url=/portal/uebersicht"),
            (
                "0; url='https://b.example/s/3f2a9c0b7d6e4f1a8b5c2d9e'",
                "0; url=https://b.example/s/%E2%80%A2%E2%80%A2%E2%80%A2"
            ),
            ("5", "5"), ("300;", "300"), ("soon", "soon"),
        ])
    func refreshes(_ content: String, _ masked: String) throws {
        let document = try Document.parse(
            Array("<meta http-equiv=Refresh content=\"\(content)\">".utf8), url: "https://b.example/")
        #expect(Mask().refresh(content) == masked)
        #expect(SanitisedPage(document, use: .replay).html.contains("content=\"\(masked)\""))
    }

    private static let page = """
        <!doctype html><html><head><title>Account 40 2071 8836</title>
        <script>steal()</script><link rel=stylesheet href=//elsewhere.example/a.css>
        <meta http-equiv=refresh content="0; url=//elsewhere.example">
        <style>@import "x.css"; p { background: url(//elsewhere.example/a.png); color: red }</style></head>
        <body onload="steal()"><h1>Hello</h1><p style="background:url(x)">Balance: £1,234.56</p>
        <form action="/pay?token=abc" method=post onsubmit="steal()"><input type=hidden name=csrf value=4711abc>
        <input type=hidden name=view value=list>
        <input name=iban value="DE89"><textarea name=t>Dear Robin</textarea><input type=submit value=Pay></form>
        <a href="javascript:steal()">Run</a><a href="/statements?year=2026">Statements</a>
        <img src="https://elsewhere.example/pixel.gif" alt="a picture"><iframe src="https://elsewhere.example"></iframe>
        <svg><script>steal()</script></svg><p title="5 < 6 &amp; &quot;7&quot;">fish &lt;b&gt; &amp; chips</p></body></html>
        """

    private func sanitised(_ use: SanitisedPage.Use) throws -> String {
        let document = try Document.parse(Array(Self.page.utf8), url: "https://b.example/")
        return SanitisedPage(document, use: use).html
    }

    @Test("a page for reading runs nothing, loads nothing, leads nowhere, and has no personal numbers")
    func view() throws {
        let html = try sanitised(.view)
        for gone in [
            "steal", "elsewhere", "8836", "1,234", "4711", "DE89", "Dear Robin", " href=", " action=", "onload",
            "token=abc",
            "<svg", "<iframe", "refresh", "@import",
        ] { #expect(!html.contains(gone), "\(gone)") }
        #expect(html.contains("color: red"))
        #expect(html.contains("value=\"Pay\""))
        #expect(html.contains("data-href=\"/statements?year=2026\""))
        #expect(html.contains("fish &lt;b&gt; &amp; chips"))
    }

    @Test("a page for replay keeps the targets of links and forms")
    func replay() throws {
        let html = try sanitised(.replay)
        for gone in ["steal", "8836", "1,234", "4711", "DE89", "Dear Robin", "token=abc", "pixel"] {
            #expect(!html.contains(gone), "\(gone)")
        }
        let document = try Document.parse(Array(html.utf8), url: "https://b.example/")
        let outline = PageOutline(document)
        #expect(outline.links.map(\.url) == ["https://b.example/statements?year=2026"])
        #expect(outline.forms.first?.fields.map(\.name) == ["csrf", "view", "iban", "t"])
        #expect(outline.forms.first?.field(named: "view")?.value == "list")
    }

    @Test(
        "markup that another parser reads differently stays text",
        arguments: [
            "<math><style><img src=x onerror=alert(1)></style></math>",
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=x onerror=alert(1)&gt;\">",
            "<svg></p><style><a id=\"</style><img src=x onerror=alert(1)>\">",
            "<xmp><img src=x onerror=alert(1)></xmp>",
            "<plaintext><img src=x onerror=alert(1)>", "<style>a{}&lt;img src=x onerror=alert(1)></style>",
            "<title><img src=x onerror=alert(1)></title>",
            "<textarea></textarea><img src=x onerror=alert(1)></textarea>",
            "<p title='\"><img src=x onerror=alert(1)>'>x</p>",
            "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
            "<p>\u{600}&lt;img src=x onerror=alert(1)></p>",
            "<p title=\"&quot;\u{301} onclick=alert(1) x=&quot;\">x</p>",
            "<img/src=x/onerror=alert(1)>", "<a href=\" javascript:alert(1)\" onclick=alert(1)>x</a>",
        ])
    func hostile(markup: String) throws {
        for use in [SanitisedPage.Use.view, .replay] {
            let document = try Document.parse(Array(markup.utf8), url: "https://b.example/")
            let html = SanitisedPage(document, use: use).html
            let again = try Document.parse(Array(html.utf8), url: "https://b.example/")
            for element in again.root?.descendants.map(\.self) ?? [] {
                #expect(!["script", "svg", "math", "object"].contains(element.name), "\(html)")
                #expect(!element.attributes.contains { $0.name.hasPrefix("on") }, "\(html)")
                #expect(
                    !element.attributes.contains { $0.value.contains("alert") && $0.name.hasSuffix("href") }, "\(html)")
            }
            #expect(html.contains("default-src 'none'") == (use == .view))
        }
    }

    @Test("only the matches are outlined")
    func outlined() throws {
        let document = try Document.parse(Array(Self.page.utf8), url: "https://b.example/")
        let matches = try document.elements(.link("Statements"))
        let html = SanitisedPage(document, outlining: matches).html
        #expect(html.contains("data-href=\"/statements?year=2026\" data-countersign-match"))
        #expect(html.components(separatedBy: "data-countersign-match=").count == 2)
    }

    @Test("elements carry the numbers that they are given, and no number of the page's own")
    func numbered() throws {
        let page = "<body><p data-countersign-number=9>One</p><script data-countersign-number=8>x</script><p>Two</p>"
        let document = try Document.parse(Array(page.utf8), url: "https://b.example/")
        let elements = document.root?.descendants.filter { $0.name == "p" || $0.name == "script" } ?? []
        let numbers = Dictionary(uniqueKeysWithValues: elements.enumerated().map { ($0.element, $0.offset) })
        let html = SanitisedPage(document, numbering: numbers).html
        #expect(html.matches(of: /countersign-number="(\d+)"/).map { $0.1 } == ["0", "2"])
        #expect(html.contains("<p data-countersign-number=\"2\">Two</p>"))
    }

    @Test("a page of the maximum depth is written without recursion")
    func deep() throws {
        let depth = 3000
        let text = String(repeating: "<div>", count: depth) + "x" + String(repeating: "</div>", count: depth)
        let document = try Document.parse(Array(text.utf8), url: "https://b.example/")
        #expect(SanitisedPage(document).html.components(separatedBy: "</div>").count == depth + 1)
    }
}
