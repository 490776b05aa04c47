import Testing

@testable import FileKinds

@Suite("Pages that are kept")
struct CleanPageTests {
    private func kept(_ body: String, head: String = "") throws -> String {
        let page = "<!DOCTYPE html><html><head><title>A & B</title>\(head)</head><body>\(body)</body></html>"
        let checked = try FileCheck.check(Array(page.utf8), as: .html)
        #expect(checked.isChanged)
        return String(decoding: checked.bytes, as: UTF8.self)
    }

    @Test("text, tables and harmless styles stay; the page says that it was changed and forbids itself scripts")
    func stays() throws {
        let page = try kept(
            "<table class=t><tr><td style='color:red' colspan=2>Premium &lt;1&gt;</table>",
            head: "<style>td{margin:0}</style>")
        #expect(page.contains("<td style=\"color:red\" colspan=\"2\">Premium &lt;1&gt;</td>"))
        #expect(page.contains("<style>td{margin:0}</style>"))
        #expect(page.contains("<title>A &amp; B</title>"))
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("changed: scripts"))
    }

    @Test(
        "what runs, sends or fetches is left out",
        arguments: [
            "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<a href='javascript:alert(1)'>x</a>",
            "<iframe src=//evil.example></iframe>", "<svg><script>alert(1)</script></svg>",
            "<img src='https://evil.example/p.gif'>",
            "<form action=//evil.example><input name=a></form>", "<object data=x></object>",
            "<meta http-equiv=refresh content='0;//evil'>",
            "<link rel=stylesheet href=//evil.example>", "<base href=//evil.example>",
            "<p style='background:url(//evil.example)'>",
            "<p style='background:u\\72l(//evil.example)'>",
            "<noscript><p title='</noscript><script>alert(1)</script>'></noscript>",
            "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
            "<img src='data:image/svg+xml;base64,AAAA'>",
            "<p id='\"><script>alert(1)</script>'>",
        ])
    func leavesOut(_ markup: String) throws {
        let page = try kept("<p>text</p>" + markup)
        for danger in [
            "<script", "onerror=", "javascript:", "//evil", "<iframe", "<svg", "<form", "<input", "svg+xml", "<object",
        ] {
            #expect(!page.contains(danger), "\(danger) in \(page)")
        }
    }

    @Test("rules that fetch something are left out")
    func styles() throws {
        #expect(try !kept("<p>a", head: "<style>@import '//evil.example';</style>").contains("evil"))
        #expect(try !kept("<p>a", head: "<style>p{background:url(//evil.example)}</style>").contains("evil"))
    }

    @Test(
        "a page that shows text only with its scripts, or only in what is left out, is refused",
        arguments: [
            "<div id=app></div><script>go()</script>", "<style>td { <h1>Statement</h1>", "<button>Show</button>",
            "<title>Statement</title>", "<p> </p>",
        ])
    func empty(body: String) throws {
        let refused = try #require(refusal("<html><body>\(body)</body></html>", as: .html))
        #expect(refused.message.contains("without its scripts"))
    }

    @Test("a kept page is kept again with the same text")
    func again() throws {
        let once = try FileCheck.check(Array(GoodFile.html.utf8)).bytes
        let twice = try FileCheck.check(once).bytes
        #expect(try FileText.text(of: once, .html) == "Your premium")
        #expect(try FileText.text(of: twice, .html) == "Your premium")
    }
}
