import Markup
import Selectors
import Testing

@testable import HTMLEngine

@Suite("A document in a row of a small page")
struct ListPageTests {
    /// Returns the id of the control that a download would use; nil where it is refused.
    private static func found(on page: ListPage) throws -> String? {
        let document = try Document.parse(
            Array("<title>Bank</title><body>\(page.html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        let control = Locator.control(.name(page.control)).within(.row(.name(page.row)))
        return (try? document.element(control))?[attribute: "id"]
    }

    @Test("is the wanted one", arguments: ListPage.withDocument)
    func right(page: ListPage) throws {
        #expect(try Self.found(on: page) == "right", "\(page.html)")
    }

    @Test(
        "is refused where the month has none, or where a person would have to guess",
        arguments: ListPage.withoutDocument)
    func refused(page: ListPage) throws {
        #expect(try Self.found(on: page) == nil, "\(page.html)")
    }

    @Test("is never a neighbour's, on lists of many shapes")
    func neverAnother() throws {
        var lists = GeneratedLists(seed: 7)
        var right = 0
        for _ in 0..<1000 {
            let page = lists.next()
            let found = try Self.found(on: page)
            #expect(found != "wrong", "\(page.row): \(page.html)")
            if found == "right" { right += 1 }
        }
        #expect(right > 500)
    }
}
