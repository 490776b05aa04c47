import Foundation
import TestSupport
import Testing

@testable import Markup

@Suite("Against Lexbor")
struct LexborPeerTests {
    /// Left out: `select`, which Lexbor parses as the standard did before 2025; `textarea`, in which it reopens
    /// formatting, unlike Chromium; and templates, whose content is not part of the tree.
    private static let tags = [
        "a", "address", "b", "body", "br", "button", "caption", "center", "code", "col", "colgroup", "dd", "div", "dl",
        "dt", "em", "fieldset", "font", "form", "frameset", "h1", "h2", "head", "hr", "html", "i", "iframe", "img",
        "input", "label", "li", "link", "marquee", "math", "meta", "mi", "nobr", "noscript", "object", "ol", "optgroup",
        "option", "p", "plaintext", "pre", "ruby", "rp", "rt", "s", "script", "span", "strong", "style", "sub", "svg",
        "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "tt", "u", "ul", "xmp",
        "foreignObject", "desc", "annotation-xml", "bank-account",
    ]
    private static let texts = [
        "x", " ", "\n", "a b", "&amp;", "&lt;", "&copy", "&notit;", "&#128;", "&#x1F600;", "&bogus;", "<", "</", "&",
        "é",
        "<3", "]]>", "-->", "a&b=c", "'", "\"",
    ]
    private static let attributes = [
        "id=a", "class='x y'", "type=hidden", "href=\"/a?b=c&copy=d&amp;e\"", "title=\"&quot;\"", "checked", "size=1",
        "ID=B", "value=''", "encoding=text/html", "a/b=c", "x=<y>",
    ]

    private static func soup(_ generator: inout SeededGenerator) -> String {
        var page = Bool.random(using: &generator) ? "<!doctype html>" : ""
        for _ in 0..<Int.random(in: 1...24, using: &generator) {
            let tag = tags.randomElement(using: &generator)!
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let count = Int.random(in: 0..<8, using: &generator) / 4
                let some = (0..<count).map { _ in " " + attributes.randomElement(using: &generator)! }
                let slash = Int.random(in: 0..<12, using: &generator) == 0 ? "/" : ""
                page += "<\(tag)\(some.joined())\(slash)>"
            case 5..<8: page += "</\(tag)>"
            default: page += texts.randomElement(using: &generator)!
            }
        }
        return page
    }

    @Test("ten thousand random pages have the same trees", .needsPeers)
    func trees() async throws {
        var generator = SeededGenerator(seed: 1326)
        let pages = (0..<10_000).map { _ in Self.soup(&generator) }
        let theirs = try await Self.lexbor(pages)
        #expect(theirs.count == pages.count)
        var different: [String] = []
        for (page, their) in zip(pages, theirs) {
            let document = try Document.parse(Array(page.utf8), contentType: "text/html; charset=utf-8")
            let ours = TreeLines.of(document)
            if ours != their { different.append("\(page)\n- \(their)\n+ \(ours)") }
        }
        #expect(different.isEmpty, "\(different.count) differ:\n\(different.prefix(5).joined(separator: "\n\n"))")
    }

    private static func lexbor(_ pages: [String]) async throws -> [[String]] {
        let encoder = JSONEncoder()
        let lines = try pages.map { try encoder.encode($0) + Data("\n".utf8) }.reduce(Data(), +)
        let outcome = try await Peers.run(script: "lexbor_trees.py", input: lines)
        #expect(outcome.status == 0)
        return try outcome.output.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode([String].self, from: Data($0))
        }
    }
}

/// A generator of the same numbers each time (xorshift64*).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
