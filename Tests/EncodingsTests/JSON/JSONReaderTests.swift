import Encodings
import Foundation
import TestSupport
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
    /// Valid by RFC 8259, and against RFC 7493, section 2.1: noncharacters.
    private static let validButNotIJSON: Set = [
        "y_string_escaped_noncharacter.json",
        "y_string_last_surrogates_1_and_2.json", "y_string_nonCharacterInUTF-8_U+10FFFF.json",
        "y_string_nonCharacterInUTF-8_U+FFFF.json", "y_string_unicode_U+10FFFE_nonchar.json",
        "y_string_unicode_U+1FFFE_nonchar.json", "y_string_unicode_U+FDD0_nonchar.json",
        "y_string_unicode_U+FFFE_nonchar.json",
    ]

    @Test(
        "accepts every valid file that is I-JSON, and refuses every other",
        .needsVectors)
    func suite() throws {
        let mustReject = try JSONReader.read(
            Vectors.data("jsontestsuite/ijson-must-reject.json"), limits: .init(size: 1 << 20))
        let rejected = Self.names(in: mustReject)
        #expect(rejected.count == 35)
        var refused = 0
        for name in try Vectors.names(in: "jsontestsuite/test_parsing") {
            let data = try Vectors.data("jsontestsuite/test_parsing/\(name)")
            let isRead = (try? JSONReader.read(data, limits: .init(size: 1 << 20))) != nil
            if name.hasPrefix("n_") || rejected.contains(name) || Self.validButNotIJSON.contains(name) {
                #expect(!isRead, "\(name) was accepted")
                refused += 1
            } else if name.hasPrefix("y_") {
                #expect(isRead, "\(name) was refused")
            }
        }
        #expect(refused >= 188)
    }

    /// The file names that occur anywhere in the value.
    private static func names(in value: JSONValue) -> Set<String> {
        switch value {
        case .string(let text): text.hasSuffix(".json") ? [text] : []
        case .array(let items): items.reduce(into: []) { $0.formUnion(names(in: $1)) }
        case .object(let members): members.values.reduce(into: []) { $0.formUnion(names(in: $1)) }
        default: []
        }
    }

    @Test(
        "says what is wrong and where",
        arguments: [
            ("{\"a\":1,\"a\":2}", 1, 8, "twice"), ("[1,\n 2,]", 2, 4, "“]” where a value"),
            ("\"\\ud800\"", 1, 2, "surrogate"), ("9007199254740993", 1, 1, "2^53"), ("1e999", 1, 1, "too large"),
            ("[01]", 1, 3, "begin with 0"), ("{\"a\" 1}", 1, 6, "“:”"), ("tru", 1, 1, "“t” where"),
            ("\"a\nb\"", 1, 3, "control"), ("", 1, 1, "missing"), ("1 2", 1, 3, "after the end"),
        ])
    func places(text: String, line: Int, column: Int, message: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONReader.read(text) }
        #expect((error.line, error.column) == (line, column), "\(error)")
        #expect(error.message.contains(message), "\(error)")
    }

    @Test("keeps its limits")
    func limits() {
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(throws: JSONError.self) { try JSONReader.read(deep) }
        #expect(throws: Never.self) { try JSONReader.read(deep.dropFirst().dropLast().description) }
        let long = "\"" + String(repeating: "x", count: 256 << 10) + "\""
        #expect(throws: JSONError.self) { try JSONReader.read(long) }
        let values = #"[{"a":0},1]"#
        #expect(throws: Never.self) { try JSONReader.read(values, limits: JSONLimits(values: 4)) }
        let error = #expect(throws: JSONError.self) { try JSONReader.read(values, limits: JSONLimits(values: 3)) }
        #expect(error?.code == .tooLarge)
    }

    @Test("refuses a hundred thousand open arrays without running out of stack")
    func bomb() {
        #expect(throws: JSONError.self) { try JSONReader.read(String(repeating: "[", count: 100_000)) }
    }

    @Test(
        "what is read has a canonical form that is read",
        arguments: ["1e21", "-1.5E300", "9007199254740991.0", "5e-324"])
    func again(text: String) throws {
        let value = try JSONReader.read(text)
        #expect(try JSONReader.read(try value.canonicalBytes()) == value)
    }

    @Test("an integer beyond 2^53 is refused in any spelling", arguments: ["9e19", "9007199254740992.0", "-1.5E20"])
    func largeInteger(text: String) {
        #expect(throws: JSONError.self) { try JSONReader.read(text) }
    }
}
