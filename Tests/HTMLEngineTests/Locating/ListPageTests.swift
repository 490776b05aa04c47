import Foundation
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
        let right = try Self.right(on: 1000, seed: 7)
        #expect(right > 400)
    }

    private static let seeds = ProcessInfo.processInfo.environment["COUNTERSIGN_LIST_SEEDS"]?
        .split(separator: ",").compactMap { UInt64($0) }

    @Test(
        "is never a neighbour's, on lists of other seeds",
        .enabled(if: Self.seeds != nil, "COUNTERSIGN_LIST_SEEDS is not set; see CONTRIBUTING.md"),
        arguments: seeds ?? [])
    func neverAnother(seed: UInt64) throws {
        let right = try Self.right(on: 20_000, seed: seed)
        print("seed \(seed): the right document on \(right) of 20000 lists")
    }

    /// Returns on how many generated lists the wanted document is found. On none may it be another's.
    private static func right(on count: Int, seed: UInt64) throws -> Int {
        var lists = GeneratedLists(seed: seed)
        var right = 0
        for _ in 0..<count {
            let page = lists.next()
            let found = try Self.found(on: page)
            #expect(found != "wrong", "\(page.row): \(page.html)")
            if found == "right" { right += 1 }
        }
        return right
    }
}
