import Testing

@testable import WebServing

@Suite("A page's templates") struct PageTemplatesTests {
    @Test("a template's text ends where its last line ends")
    func noTrailingNewline() {
        #expect(PageTemplates.text(Array("<p>a</p>\n".utf8)) == "<p>a</p>")
        #expect(PageTemplates.text(Array("<p>a</p>".utf8)) == "<p>a</p>")
        #expect(PageTemplates.text([]) == "")
    }

    @Test(
        "a value never becomes markup",
        arguments: ["<b>", "\" onfocus=alert(1) x=\"", "' x='", "\"\u{301} autofocus x=\"", "&lt;", "<\u{301}script>"])
    func escaped(value: String) throws {
        let library = PageTemplates.library(["field": Array("<input value=\"{{value}}\">\n".utf8)])
        let page = try #require(library.render(["value": value], withTemplate: "field"))
        #expect(page.unicodeScalars.filter { $0 == "<" || $0 == ">" }.count == 2)
        #expect(page.unicodeScalars.filter { $0 == "\"" }.count == 2)
    }

    @Test(
        "a value shows what it hides, in lines as they are",
        arguments: [
            ("a\u{202E}b", "a\\u202eb"), ("a\u{200B}b\u{FEFF}", "a\\u200bb\\ufeff"), ("a\nb\u{7}", "a\nb\\u0007"),
            ("a\r\nb", "a\\u000d\nb"), ("a\u{2028}b", "a\\u2028b"), ("\u{E000}<", "\\ue000&lt;"),
            ("Zürich 👩‍💻", "Zürich 👩‍💻"),
        ])
    func visible(value: String, shown: String) throws {
        let library = PageTemplates.library(["field": Array("<p>{{value}}</p>\n".utf8)])
        #expect(library.render(["value": value], withTemplate: "field") == "<p>\(shown)</p>")
    }

    @Test("a template may show another one of its module, and write a rendered body as it is")
    func nested() throws {
        let library = PageTemplates.library([
            "page": Array("<main>{{{body}}}</main>\n".utf8), "row": Array("<li>{{name}}</li>\n".utf8),
            "list": Array("<ul>{{#rows}}{{>row}}{{/rows}}</ul>\n".utf8),
        ])
        let list = try #require(library.render(["rows": [["name": "a"], ["name": "b & c"]]], withTemplate: "list"))
        #expect(list == "<ul><li>a</li><li>b &amp; c</li></ul>")
        #expect(library.render(["body": list], withTemplate: "page") == "<main>\(list)</main>")
    }
}
