import Markup
import Selectors
import Testing

@testable import HTMLEngine

@Suite("The refusal of a row whose text the page shows")
struct UnclearEntryTests {
    private static func refusal(of html: String) throws -> String {
        let document = try Document.parse(
            Array("<title>Bank</title><body>\(html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        let error = #expect(throws: LocatorError.self) {
            try document.element(.control("Download").within(.row("April 2025")))
        }
        return error?.message ?? ""
    }

    @Test(
        "names the entry of another month in which it stands",
        arguments: [
            (
                "<ul><li>March 2025, available since April 2025 <a href=/w>Download</a></ul>",
                "March 2025, available since April 2025 Download"
            ),
            (
                "<div class=c><b>March 2025</b><small>sent in April 2025</small><a href=/w>Download</a></div>",
                "March 2025sent in April 2025Download"
            ),
        ])
    func another(html: String, entry: String) throws {
        let message = try Self.refusal(of: html)
        #expect(
            message.contains("the page says it only in the entry “\(entry)”, which is another month's"), "\(message)")
        #expect(message.contains("name it by its own month, or by css"), "\(message)")
    }

    @Test(
        "names the text where it has nothing to use",
        arguments: [
            ("<ul><li>April 2025 – not ready, see March 2025 <a href=/w>Download</a></ul>", "April 2025 – not ready"),
            ("<h3>May 2025</h3><p><a href=/w>Download</a></p><h3>April 2025</h3><p>not yet</p>", "April 2025"),
        ])
    func none(html: String, words: String) throws {
        let message = try Self.refusal(of: html)
        #expect(message.contains("the page says it in “\(words)"), "\(message)")
        #expect(message.contains("no link or button is clearly its own"), "\(message)")
    }

    @Test("says nothing of it where the page has no such text")
    func absent() throws {
        let message = try Self.refusal(of: "<ul><li>March 2025 <a href=/w>Download</a></ul>")
        #expect(!message.contains("the page says it"), "\(message)")
    }
}
