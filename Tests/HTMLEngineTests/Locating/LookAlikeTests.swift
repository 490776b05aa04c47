import Markup
import Selectors
import Testing

@testable import HTMLEngine

@Suite("A name that is written otherwise on the page")
struct LookAlikeTests {
    private static func found(_ html: String, _ locator: Locator) throws -> String {
        let document = try Document.parse(
            Array("<title>Bank</title><body>\(html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        return try document.elements(locator).map { $0[attribute: "id"] ?? "<\($0.name)>" }.joined(separator: " ")
    }

    @Test(
        "is found as it is seen",
        arguments: [
            ("Konto\u{AD}auszüge", "Kontoauszüge"), ("Konto\u{200B}auszüge", "Kontoauszüge"),
            ("E–Statements", "E-Statements"),
            ("Relevés d\u{2019}opérations", "Relevés d'opérations"), ("Proﬁle", "Profile"),
            ("GROSSE AUSZÜGE", "große Auszüge"),
            ("２０２５年３月", "2025年3月"), ("More…", "More..."), ("Mother\u{2019}s maiden name:", "Mother's maiden name"),
            ("كشف ٠٣/٢٠٢٥", "كشف 03/2025"), ("۲۰۲۵", "2025"), ("كَشْف", "كشف"), ("كـشف", "كشف"), ("תַּדְפִּיס", "תדפיס"),
            ("मार्च २०२५", "मार्च 2025"),
        ])
    func found(shown: String, typed: String) throws {
        #expect(try Self.found("<a id=x href=/>\(shown)</a><a href=/>Other</a>", .link(.name(typed))) == "x")
        #expect(try Self.found("<p id=x>\(shown)</p>", .text(.name(typed))) == "x")
        #expect(try Self.found("<table><tr id=x><td>\(shown)<tr><td>–</table>", .row(.name(typed))) == "x")
        #expect(try Self.found("<label>\(shown) <input id=x></label>", .field(.name(typed))) == "x")
    }

    @Test("is the exact one where there is one")
    func exactFirst() throws {
        let html = "<a id=a href=/>E–Statements</a><a id=b href=/>E-Statements</a>"
        #expect(try Self.found(html, .link("E-Statements")) == "b")
        #expect(try Self.found(html, .link("E–Statements")) == "a")
    }

    @Test("cuts no number")
    func numbers() throws {
        #expect(try Self.found("<a href=/>Mai ２０２６５</a>", .link("Mai 2026")) == "")
    }
}
