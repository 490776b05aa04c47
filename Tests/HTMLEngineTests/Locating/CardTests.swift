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
