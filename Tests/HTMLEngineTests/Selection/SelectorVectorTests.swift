import Foundation
import HTMLEngine
import JSON
import Selectors
import Testing

@Suite(
    "Selecting, against cssselect’s cases",
    .enabled(if: ProcessInfo.processInfo.environment["COUNTERSIGN_VECTORS"] != nil, "COUNTERSIGN_VECTORS is not set"))
struct SelectorVectorTests {
    private static func cases() throws -> JSONValue {
        let folder = URL(filePath: ProcessInfo.processInfo.environment["COUNTERSIGN_VECTORS"]!)
        let data = try Data(contentsOf: folder.appending(path: "css-selectors/cssselect-cases.json"))
        return try JSONReader.read(data, limits: .init(size: 1 << 22))
    }

    private static func document(_ name: String, in cases: JSONValue) throws -> Document {
        let html = try #require(cases["docs"]?[name]?.stringValue)
        return try Document.parse(Array(html.utf8), contentType: "text/html; charset=utf-8")
    }

    /// Cases that are not CSS, or that the browser's tree answers otherwise than lxml's; by selector, with the reason.
    private static let exceptions: [String: String] = [:]

    @Test("finds the elements of every id query")
    func ids() throws {
        let cases = try Self.cases()
        let document = try Self.document("HTML_IDS", in: cases)
        var count = 0
        for test in cases["tests"]?["test_select"]?.arrayValue ?? [] {
            let expected = test["expect"]?.arrayValue?.map { $0.stringValue ?? "nil" } ?? []
            for selector in test["args"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
                count += 1
                guard Self.exceptions[selector] == nil else { continue }
                let found = try? document.select(css: selector).map { $0[attribute: "id"] ?? "nil" }
                #expect(found == expected, "\(selector)")
            }
        }
        print("id queries: \(count)")
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
                guard Self.exceptions[selector] == nil else { continue }
                #expect((try? document.select(css: selector).count) == expected, "\(selector)")
            }
        }
        print("counts: \(count)")
    }

    @Test("refuses what cssselect refuses")
    func errors() throws {
        for test in try Self.cases()["tests"]?["test_parse_errors"]?.arrayValue ?? [] {
            guard test["expect"]?.stringValue != nil, let selector = test["args"]?.arrayValue?.first?.stringValue else {
                continue
            }
            #expect(throws: SelectorError.self, "\(selector)") { try SelectorList(parsing: selector) }
        }
    }
}
