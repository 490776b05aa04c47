import Markup
import Selectors
import Testing

@testable import HTMLEngine

@Suite("What is not on the page")
struct HiddenControlTests {
    private static func found(_ html: String, _ locator: Locator) throws -> String {
        let document = try Document.parse(
            Array("<title>Bank</title><body>\(html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        return try document.elements(locator).map { $0[attribute: "id"] ?? "<\($0.name)>" }.joined(separator: " ")
    }

    private static let copies = [
        "<template><a id=y href=/>PDF</a></template>", "<noscript><a id=y href=/>PDF</a></noscript>",
        "<dialog><a id=y href=/>PDF</a></dialog>", "<details><summary>More</summary><a id=y href=/>PDF</a></details>",
        "<div inert><a id=y href=/>PDF</a></div>", "<div hidden><a id=y href=/>PDF</a></div>",
    ]

    @Test("displaces nothing that is", arguments: copies)
    func copy(html: String) throws {
        #expect(try Self.found("\(html)<a id=x href=/>PDF</a>", .link("PDF")) == "x")
    }

    @Test(
        "is found alone where a person gets to it, or where no script runs",
        arguments: zip(copies, ["", "y", "", "y", "", ""]))
    func alone(html: String, id: String) throws {
        #expect(try Self.found(html, .link("PDF")) == id)
    }

    @Test("is the only control of a cell, which a step may name by the cell")
    func unnamedLink() throws {
        let html = "<table><tr id=r><td>March 2025<td><a id=x href=/3><svg></svg></a></table>"
        #expect(try Self.found(html, .link(.regex(".*")).within(.row("March 2025"))) == "x")
        #expect(try Self.found("<a id=a href=/>One</a><a href=/></a>", .link(.regex(".*"))) == "a")
    }
}
