import Markup
import Selectors
import Testing

@testable import HTMLEngine

@Suite("A row where the page has no table")
struct CardTests {
    private static func found(_ html: String, _ locator: Locator) throws -> String {
        let document = try Document.parse(
            Array("<title>Bank</title><body>\(html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        return try document.elements(locator).map { $0[attribute: "id"] ?? "<\($0.name)>" }.joined(separator: " ")
    }

    private static func cards(_ card: (String, String) -> String) -> String {
        ["April", "March", "February"].map { card("\($0) 2025", $0.lowercased()) }.joined()
    }

    @Test("is the block with its text and a control")
    func card() throws {
        let html = Self.cards {
            "<div class=card><div class=t>\($0)</div><div><a id=\($1) href=/\($1)>Download</a></div></div>"
        }
        #expect(try Self.found(html, .link("Download").within(.row("March 2025"))) == "march")
        let forms = Self.cards {
            "<form><span>\($0)</span><span>EUR 12</span><button id=\($1)>Download</button></form>"
        }
        #expect(try Self.found(forms, .button("Download").within(.row("March 2025"))) == "march")
    }

    @Test(
        "is an entry of a list that has no block for each",
        arguments: [
            { "<h3>\($0)</h3><p>PDF</p><a id=\($1) href=/\($1)>Download</a>" },
            { "<h3><b>\($0)</b></h3><div><a id=\($1) href=/\($1)>Download</a></div>" },
            { "<div class=t>\($0)</div><div class=l><a id=\($1) href=/\($1)>Download</a></div>" },
            { "\($0) <a id=\($1) href=/\($1)>Download</a><br>" },
            { "<b>\($0)</b> <i>PDF</i> <a id=\($1) href=/\($1)>Download</a><br>" },
            { "<dt>\($0)</dt><dd>PDF</dd><dd><a id=\($1) href=/\($1)>Download</a></dd>" },
            { "<details><summary>\($0)</summary><a id=\($1) href=/\($1)>Download</a></details>" },
            { "<a id=\($1) href=/\($1)><div>\($0)</div><div>Download</div></a>" },
        ] as [@Sendable (String, String) -> String])
    func flat(entry: @Sendable (String, String) -> String) throws {
        for html in ["<div>\(Self.cards(entry))</div>", "<dl>\(Self.cards(entry))</dl>"] {
            #expect(try Self.found(html, .link("Download").within(.row("March 2025"))) == "march")
            #expect(try Self.found(html, .link("Download").within(.row("February 2025"))) == "february")
            #expect(try Self.found(html, .link("Upload").within(.row("March 2025"))) == "")
        }
    }

    @Test("is a cell where each cell is an entry, and a row with the row of its links")
    func cells() throws {
        let link = Locator.link("Download").within(.row("March 2025"))
        let calendar = Self.cards { "<td>\($0) <a id=\($1) href=/\($1)>Download</a></td>" }
        #expect(try Self.found("<table><tr>\(calendar)</tr></table>", link) == "march")
        let two = Self.cards { "<tr><td>\($0)<td>EUR<tr><td colspan=2><a id=\($1) href=/\($1)>Download</a>" }
        #expect(try Self.found("<table>\(two)</table>", link) == "march")
        let bodies = Self.cards { "<tbody><tr><td>\($0)<tr><td><a id=\($1) href=/\($1)>Download</a></tbody>" }
        #expect(try Self.found("<table>\(bodies)</table>", link) == "march")
    }

    @Test(
        "is the whole row where a cell is its control alone",
        arguments: [
            "<td><a href=/g>Girokonto</a><td>DE12<td><a id=x href=/d>Details</a>",
            "<td><button>Girokonto</button><td>DE12<td><a id=x href=/d>Details</a>",
            "<td>Girokonto <a href=/i><svg></svg></a><td>DE12<td><a id=x href=/d>Details</a>",
        ])
    func controls(row: String) throws {
        let html = "<table><tr>\(row)<tr><td><a href=/s>Sparkonto</a><td>DE13<td><a id=y href=/e>Details</a></table>"
        #expect(try Self.found(html, .link("Details").within(.row("Girokonto"))) == "x")
        #expect(try Self.found(html, .link("Details").within(.row("Sparkonto"))) == "y")
    }

    @Test("ends where another may begin, whatever the form of its text")
    func otherForm() throws {
        func title(_ text: String) -> String { "<div class=t>\(text)</div>" }
        func link(_ id: String) -> String { "<div class=l><a id=\(id) href=/\(id)>Download</a></div>" }
        let april = Locator.link("Download").within(.row("April 2025"))
        let rest = title("February 2025") + link("february")
        let without = title("April 2025") + title("March 2025 (new)") + link("march") + rest
        #expect(throws: LocatorError.self) { try Self.found("<div>\(without)</div>", april) }
        let with = title("April 2025") + link("april") + title("March 2025 (new)") + link("march") + rest
        #expect(try Self.found("<div>\(with)</div>", april) == "april")
    }

    @Test(
        "is not the whole list, nor the page",
        arguments: [
            "<div><span>April 2025</span><a href=/4>Download</a><br><span>March 2025</span></div>",
            "<h1>March 2025</h1><a href=/4>Download</a>", "<main><h1>March 2025</h1><p><a href=/4>Download</a></main>",
        ])
    func list(html: String) throws {
        #expect(try Self.found(html, .row("March 2025")) == "")
    }

    @Test("is a row of a table wherever there is one")
    func table() throws {
        let html =
            "<table><tr id=r><td>March 2025<td><a href=/3>PDF</a></table><div id=d>March 2025 <a href=/x>PDF</a></div>"
        #expect(try Self.found(html, .row("March 2025")) == "r")
    }
}
