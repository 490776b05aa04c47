import Encodings
import Foundation
import Markup
import Selectors
import TestSupport
import Testing

@Suite(
    "Selecting, against cssselect's cases",
    .needsVectors)
struct SelectorVectorTests {
    private static func cases() throws -> JSONValue {
        try JSONReader.read(Vectors.data("css-selectors/cssselect-cases.json"), limits: .init(size: 1 << 22))
    }

    private static func document(_ name: String, in cases: JSONValue) throws -> Document {
        let html = try #require(cases["docs"]?[name]?.stringValue)
        return try Document.parse(Array(html.utf8), contentType: "text/html; charset=utf-8")
    }

    /// Cases that are not CSS, or for which the standard's result differs from cssselect's on lxml's tree.
    private static let exceptions: [String: String] = [
        "*:contains(\"link\")": "not in the standard", "*:contains(\"LInk\")": "not in the standard",
        "*:contains(\"e\")": "not in the standard", "*:contains(\"E\")": "not in the standard",
        ":CONtains(\"link\")": "not in the standard", "div:contains(CELIA)": "not in the standard",
        "div[class!=madeup]": "not in the standard",
        ":link": "a link element is not a hyperlink (HTML, section 4.16.3)",
        ":visited": "a page may not ask about the history",
        ":enabled": "links are not enabled; only form controls are (HTML, section 4.16.3)",
        ":disabled": "a hidden input can be disabled too (HTML, section 4.10.19.5)",
        "*[lang|=\"en\"]": "the value of lang is compared without case (HTML, section 4.16.2)",
        "[lang|=\"en-US\"]": "the value of lang is compared without case (HTML, section 4.16.2)",
        "p:only-of-type": "fieldset ends the paragraph, and its end tag makes another (HTML, section 13.2.6.4.7)",
    ]

    /// In the play, cssselect counts from `body`; this engine counts from the root, and so does `:scope`.
    private static let countExceptions: [String: String] = exceptions.merging(
        Dictionary(
            uniqueKeysWithValues: ["*", ":scope > div", ":scope > div > div[class=dialog]", ":scope > div div"].map {
                ($0, "counted from body there, from the root here")
            })
    ) { $1 }

    /// Selectors that cssselect refuses and level 4 of the standard allows.
    private static let allowed: Set = [
        "div :scope header", ":scope > div :scope header", ":has(a, b)", ":is(a b)", ":where(a b)", ":not(:not(a))",
    ]

    /// Fails for an exception that is no longer needed, too.
    private func check(_ selector: String, isSame: Bool, but exceptions: [String: String] = exceptions) {
        if let reason = exceptions[selector] {
            #expect(!isSame, "\(selector) is an exception that is no longer needed: \(reason)")
        } else {
            #expect(isSame, "\(selector)")
        }
    }

    @Test("finds the elements of every id query")
    func ids() throws {
        let cases = try Self.cases()
        let document = try Self.document("HTML_IDS", in: cases)
        var count = 0
        for test in cases["tests"]?["test_select"]?.arrayValue ?? [] {
            let expected = test["expect"]?.arrayValue?.map { $0.stringValue ?? "nil" } ?? []
            for selector in test["args"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
                count += 1
                let found = try? document.select(css: selector).map { $0[attribute: "id"] ?? "nil" }
                check(selector, isSame: found == expected)
            }
        }
        #expect(count == 124, "95 cases, some with several spellings")
    }

    @Test("counts the elements of the play")
    func counts() throws {
        let cases = try Self.cases()
        let document = try Self.document("HTML_SHAKESPEARE", in: cases)
        var count = 0
        for test in cases["tests"]?["test_select_shakespeare"]?.arrayValue ?? [] {
            let expected = test["expect"]?.intValue
            for selector in test["args"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
                count += 1
                let found = try? document.select(css: selector).count
                check(selector, isSame: found == expected, but: Self.countExceptions)
            }
        }
        #expect(count == 49)
    }

    @Test("refuses what cssselect refuses")
    func errors() throws {
        for test in try Self.cases()["tests"]?["test_parse_errors"]?.arrayValue ?? [] {
            guard test["expect"]?.stringValue != nil, let selector = test["args"]?.arrayValue?.first?.stringValue else {
                continue
            }
            if Self.allowed.contains(selector) {
                #expect(throws: Never.self, "\(selector)") { try SelectorList(parsing: selector) }
            } else {
                #expect(throws: SelectorError.self, "\(selector)") { try SelectorList(parsing: selector) }
            }
        }
    }
}
