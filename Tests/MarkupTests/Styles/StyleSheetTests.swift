import Testing

@testable import Markup

@Suite("What the page's own style sheets hide")
struct StyleSheetTests {
    private static func element(_ css: String, _ html: String) throws -> Element {
        let document = try Document.parse(
            Array("<head>\(css)</head><body>\(html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        return try #require(document.element(withID: "x"))
    }

    private static func style(_ text: String) -> String { "<style>\(text)</style>" }

    @Test(
        "is not shown",
        arguments: [
            (".error{display:none}", "<p id=x class=error>Wrong</p>"),
            ("#x { color: red; visibility : hidden }", "<p id=x>Wrong</p>"),
            ("body .box, .q { display: NONE; }", "<div class=box><p id=x>Wrong</p></div>"),
            ("/* p{} */ .e{display:/**/none}", "<p id=x class=e>Wrong</p>"),
            ("<!-- .e{display:none} -->", "<p id=x class=e>Wrong</p>"),
            (".tab{display:none}.tab.on{display:block}", "<p id=x class=tab>Wrong</p>"),
            ("p#x{display:none}.e{display:block}", "<p id=x class=e>Wrong</p>"),
            (".e{display:none!important}p.e{display:block}", "<p id=x class=e style='display:block'>Wrong</p>"),
            ("@media screen and (min-width:768px){.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            ("@media (width >= 600px){.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            ("@supports (display:grid){@media all{.e{display:none}}}", "<p id=x class=e>Wrong</p>"),
            ("@import 'a.css';@font-face{src:url('}')}.e{display:none}", "<p id=x class=e>Wrong</p>"),
            (".e:hover{display:block}.e{display:none}", "<p id=x class=e>Wrong</p>"),
            (".e{color:red;&:hover{display:block}display:none}", "<p id=x class=e>Wrong</p>"),
            ("div:first-child>p{visibility:collapse}", "<div><p id=x>Wrong</p></div>"),
            (#"q{content:"\""}.e{display:none}"#, "<p id=x class=e>Wrong</p>"),
            (#"q{content:'it\'s'}.e{display:none}"#, "<p id=x class=e>Wrong</p>"),
            (#".q\"{color:red}.e{display:none}"#, "<p id=x class=e>Wrong</p>"),
            (".e{display:none;@media print{display:block}}", "<p id=x class=e>Wrong</p>"),
            (".e{@media all{display:block}display:none}", "<p id=x class=e>Wrong</p>"),
            ("@layer u{.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            ("@layer u{.e{display:none!important}}#x{display:block!important}", "<p id=x class=e>Wrong</p>"),
            ("@layer a, b;@layer b{.e{display:none}}@layer a{#x{display:block}}", "<p id=x class=e>Wrong</p>"),
            ("@layer{#x{display:block}}@layer{.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            (".m{visibility:hidden}.i{visibility:visible}", "<div class=m><p id=x>Wrong</p><b class=i></b></div>"),
            (".m{visibility:hidden}", "<div class=m><div><p id=x>Wrong</p></div></div>"),
            (".m{visibility:hidden}p{visibility:inherit}", "<div class=m><p id=x>Wrong</p></div>"),
            (".m{display:none}.i{visibility:visible}", "<div class=m><p id=x class=i>Wrong</p></div>"),
        ])
    func hidden(css: String, html: String) throws {
        let element = try Self.element(Self.style(css), html)
        #expect(!element.isShown)
        #expect(element.isHidden)
        #expect(!element.isOutOfReach, "a script of the page may show it")
        #expect(element.document.text == "")
    }

    @Test(
        "is shown",
        arguments: [
            (".error{display:none}", "<p id=x class=error style='display:block'>Wrong</p>"),
            (".error{display:none}.error.on{display:block}", "<p id=x class='error on'>Wrong</p>"),
            (".error{display:none}.error{display:block}", "<p id=x class=error>Wrong</p>"),
            ("@media print{.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            ("@media (max-width:600px){.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            ("@media not screen{.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            ("@media (unknown){.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            (".e::before{display:none}", "<p id=x class=e>Wrong</p>"),
            (".e:has(b){display:none}", "<p id=x class=e>W<b>"),
            ("@supports not (display:grid){.e{display:none}}", "<p id=x class=e>Wrong</p>"),
            ("@layer u{.a.b{display:none}}.a{display:grid}", "<p id=x class='a b'>Wrong</p>"),
            ("@layer u.v{.a.b{display:none}}@layer w{.a{display:grid}}", "<p id=x class='a b'>Wrong</p>"),
            (
                #".hidden{display:none}.md\:block{@media (width>=48rem){display:block}}"#,
                "<p id=x class='hidden md:block'>Wrong</p>"
            ),
            (".e{display:none;@supports (display:grid){@media all{display:grid}}}", "<p id=x class=e>Wrong</p>"),
            (
                ".m{visibility:hidden}.i{visibility:visible}",
                "<div class=m><b>No</b><div><i>No</i><p id=x class=i>Wrong</p></div></div>"
            ),
            (".m{visibility:hidden}.m.on{visibility:inherit}", "<div class='m on'><p id=x>Wrong</p></div>"),
            (".m{visibility:hidden}", "<div class=m><p id=x style='visibility:visible'>Wrong</p></div>"),
            (".e{display", "<p id=x class=e>Wrong</p>"), ("{}}}.e{display:none", "<p id=x class=f>Wrong</p>"),
            // Against frames, and against a page that is half drawn: a script shows the whole page again.
            ("body{display:none !important}", "<p id=x>Wrong</p>"), ("html{visibility:hidden}", "<p id=x>Wrong</p>"),
        ])
    func shown(css: String, html: String) throws {
        let element = try Self.element(Self.style(css), html)
        #expect(element.isShown)
        #expect(element.document.text.hasPrefix("W"))
    }

    @Test("are those for screens")
    func media() throws {
        let css = "<style media=print>.e{display:none}</style><style media='screen, tv'>.f{display:none}</style>"
        #expect(try Self.element(css, "<p id=x class=e>Wrong").isShown)
        #expect(try !Self.element(css, "<p id=x class=f>Wrong").isShown)
    }

    @Test("of a sheet that hides nothing wins as well")
    func severalSheets() throws {
        let css = "<style>.e{display:none}</style><style>.e{display:block}</style>"
        #expect(try Self.element(css, "<p id=x class=e>Wrong").isShown)
    }

    @Test("is a popover too, until its button is pressed")
    func popover() throws {
        let element = try Self.element("", "<div id=x popover>Wrong</div>")
        #expect(!element.isShown && !element.isOutOfReach)
    }

    @Test("costs a hostile page no time")
    func hostile() throws {
        let rules = (0..<5000).map { ".a\($0) * * * .b{display:none}" }.joined()
        let html = String(repeating: "<div class=b>", count: 400) + String(repeating: "<p class=b>a", count: 20_000)
        let began = ContinuousClock.now
        _ = try Self.element(Self.style(rules), html + "<p id=x>")
        #expect(ContinuousClock.now - began < .seconds(60))
    }
}
