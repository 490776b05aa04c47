import BankScript
import Foundation
import HTMLEngine
import Markup
import Selectors
import TestCases
import TestSupport
import Testing

@testable import BrowserAutomation

/// A locator finds the same elements, and fails with the same words, on the page as a server sends it and as Chromium
/// has rendered it.
@Suite("A locator in the browser", .serialized)
struct LocatingInBrowserTests {
    /// The cases in which Chromium renders something else than the server has sent.
    private static let exceptions: [String: String] = [
        "<map><area id=x href=/ alt='Sign in'></map>": "an area of no image has no place on the page"
    ]

    @Test("finds what it finds without a browser", .needsChromedriver, .timeLimit(.minutes(3)))
    func table() async throws {
        let cases = LocatorCase.fields + LocatorCase.controls + LocatorCase.cells
        try await withPages(cases.map(\.html)) { engine, origin in
            for (index, known) in cases.enumerated() where Self.exceptions[known.html] == nil {
                try await engine.open("\(origin)/\(index)")
                let found = try await engine.openPage().elements(known.locator)
                let ids = found.map { $0[attribute: "id"] ?? "<\($0.name)>" }.joined(separator: " ")
                #expect(ids == known.found, "\(known)")
            }
        }
    }

    @Test("fails with the same words and candidates", .needsChromedriver, .timeLimit(.minutes(4)))
    func errors() async throws {
        let cases = LocatorCase.failing
        try await withPages(cases.map(\.html)) { engine, origin in
            for (index, known) in cases.enumerated() {
                let url = "\(origin)/\(index)"
                let sent = try Document.parse(
                    Array(("<!doctype html>" + Self.page(known.html)).utf8), contentType: "text/html; charset=utf-8",
                    url: url)
                let expected = #expect(throws: LocatorError.self) { try sent.element(known.locator) }
                try await engine.open(url)
                let page = try await engine.openPage()
                let error = #expect(throws: LocatorError.self) { try page.document.element(known.locator) }
                #expect(error?.kind == expected?.kind)
                #expect(error?.description == expected?.description)
                #expect(error?.candidates.map(\.locator) == expected?.candidates.map(\.locator))
            }
        }
    }

    private static func page(_ html: String) -> String { "<title>Accounts</title>\(html)" }

    /// Serves each text as a page under its index.
    private func withPages(
        _ pages: [String], _ body: (BrowserNavigationEngine, String) async throws -> Void
    ) async throws {
        try await BrowserVisit.run(
            page: { path in
                Int(path.dropFirst()).flatMap { pages.indices.contains($0) ? Self.page(pages[$0]) : nil } ?? ""
            },
            body)
    }
}
