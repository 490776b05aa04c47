import Foundation
import Testing

@testable import Markup

@Suite("A hostile page")
struct DocumentLimitsTests {
    struct Hostile: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let page: [UInt8]
        let code: DocumentError.Code
        /// The limit's name in the error.
        let limit: String

        init(_ description: String, _ page: String, _ code: DocumentError.Code, _ limit: String) {
            testDescription = description
            self.page = Array(page.utf8)
            self.code = code
            self.limit = limit
        }
    }

    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    private static let attributes = (0..<1000).map { "a\($0)" }.joined(separator: " ")

    private static let pages = [
        Hostile("ten thousand open divs", times(10_000, "<div>"), .tooDeep, "depth limit of 5120"),
        Hostile(
            "fifty thousand divs in one another", times(50_000, "<div>") + times(50_000, "</div>"), .tooDeep,
            "depth limit of 5120"),
        Hostile("divs and end tags of others", times(10_000, "<div></x>"), .tooDeep, "depth limit of 5120"),
        Hostile("a million elements", times(1_000_000, "<br>"), .tooManyElements, "element limit of 400000"),
        Hostile(
            "a million rows", "<table>" + times(500_000, "<tr><td>"), .tooManyElements, "element limit of 400000"),
        Hostile("thirty megabytes", times(30 << 20, "x"), .tooLarge, "size limit of 16777216"),
        Hostile(
            "an element with fifty attributes for each allowed",
            "<p \((0..<50_000).map { "a\($0)" }.joined(separator: " "))>", .tooManyAttributes,
            "attribute limit of 1024"),
        Hostile(
            "formatting that every paragraph opens again",
            "<p>" + (0..<2000).map { "<b a\($0)>" }.joined() + times(20_000, "</p><p>x"), .tooManyElements,
            "element limit of 400000"),
        Hostile(
            "a megabyte that every paragraph has again",
            "<p><b title='\(times(1 << 20, "x"))'>" + times(300, "</p><p>x"),
            .tooMuchMemory, "memory limit of 268435456 bytes"),
    ]

    @Test("ends with an error that names its limit, soon", .timeLimit(.minutes(3)), arguments: pages)
    func hostile(hostile: Hostile) throws {
        let error = try #require(throws: DocumentError.self) {
            try Document.parse(hostile.page, contentType: "text/html; charset=utf-8")
        }
        #expect(error.code == hostile.code, "\(error)")
        #expect(error.message.contains(hostile.limit), "\(error)")
    }

    @Test("ends when its time is up, even if it allocates little", .timeLimit(.minutes(3)))
    func time() throws {
        // Each is compared with all earlier ones, attribute by attribute.
        let page = (0..<600).map { "<b \(Self.attributes) z=\($0)>" }.joined()
        var limits = DocumentLimits()
        limits.time = .milliseconds(100)
        let error = try #require(throws: DocumentError.self) {
            try Document.parse(Array(page.utf8), contentType: "text/html; charset=utf-8", limits: limits)
        }
        #expect(error.code == .tooMuchTime)
        #expect(error.message.contains("time limit of 100 ms"))
    }

    @Test("the caller can set every limit")
    func ownLimits() throws {
        func code(_ page: String, _ change: (inout DocumentLimits) -> Void) -> DocumentError.Code? {
            var limits = DocumentLimits()
            change(&limits)
            do throws(DocumentError) {
                _ = try Document.parse(Array(page.utf8), limits: limits)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("<p>abc") { $0.size = 5 } == .tooLarge)
        #expect(code("<p>abc") { $0.size = 6 } == nil)
        #expect(code("<p>a<p>b") { $0.elements = 4 } == .tooManyElements)
        #expect(code("<p>a<p>b") { $0.elements = 5 } == nil)
        #expect(code(Self.times(90, "<div>")) { $0.depth = 80 } == .tooDeep)
        #expect(code(Self.times(70, "<div>")) { $0.depth = 80 } == nil)
        #expect(code("<p a b c d e>") { $0.attributes = 4 } == .tooManyAttributes)
        #expect(code("<p a b c d>") { $0.attributes = 4 } == nil)
        #expect(code("<p>") { $0.memory = 1 << 10 } == .tooMuchMemory)
    }

    @Test("a frameset replaces everything before it, however deep")
    func frameset() throws {
        let page = Self.times(5000, "<div>") + "<frameset><frame src=a></frameset>"
        let document = try Document.parse(Array(page.utf8), contentType: "text/html; charset=utf-8")
        #expect(document.root?.descendants.map(\.name) == ["head", "frameset", "frame"])
    }

    @Test("a page of NULs is an empty page")
    func nuls() throws {
        let document = try Document.parse(
            [UInt8](repeating: 0, count: 1 << 20), contentType: "text/html; charset=utf-8")
        #expect(document.root?.text == "")
        let mixed = try Document.parse(Array("<p>a\0b<textarea>\0</textarea><a href='\0'>c".utf8))
        #expect(mixed.root?.descendants.first { $0.name == "p" }?.rawText == "ab\u{FFFD}c")
        #expect(mixed.root?.descendants.first { $0.name == "a" }?[attribute: "href"] == "\u{FFFD}")
    }

    @Test(
        "truncated or invalid UTF-8 becomes a replacement character, as in a browser",
        arguments: [
            ([0x61, 0xE2, 0x82], "a\u{FFFD}"), ([0xF0, 0x9F, 0x98, 0x3C, 0x62, 0x3E, 0x78], "\u{FFFD}x"),
            ([0xC0, 0xAF], "\u{FFFD}\u{FFFD}"), ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xFF, 0x61, 0xFE], "\u{FFFD}a\u{FFFD}"),
        ] as [([UInt8], String)])
    func truncated(bytes: [UInt8], expected: String) throws {
        let document = try Document.parse(bytes, contentType: "text/html; charset=utf-8")
        #expect(document.root?.rawText == expected)
    }

    @Test("a page as large as its limits allow is parsed", .timeLimit(.minutes(3)))
    func large() throws {
        let row = "<tr class=entry><td>1 January<td><a href='/a?b=c'>Rent</a><td class=num>1,250.00"
        let page = "<table>" + Self.times(20_000, row)
        let document = try Document.parse(Array(page.utf8), contentType: "text/html; charset=utf-8")
        #expect(document.root?.descendants.count { $0.name == "tr" } == 20_000)
    }
}
