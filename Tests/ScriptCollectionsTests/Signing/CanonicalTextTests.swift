import Encodings
import ScriptCollections
import Testing

@Suite("The bytes that a signature covers")
struct CanonicalTextTests {
    @Test(
        "are sorted, without spaces, and escape quotes and backslashes only",
        arguments: [
            (#"{"b": 1, "a": [true, null, -2]}"#, #"{"a":[true,null,-2],"b":1}"#),
            (#""a\n\u00e9\"\\""#, "\"a\n\u{E9}\\\"\\\\\""),
            (#"{"\uff00": 1, "\ud83d\ude00": 2}"#, "{\"\u{FF00}\":1,\"\u{1F600}\":2}"),
            ("9007199254740991", "9007199254740991"), ("{}", "{}"), ("[]", "[]"),
        ])
    func canonical(json: String, expected: String) throws {
        #expect(String(decoding: try JSONReader.read(json).signedBytes(), as: UTF8.self) == expected)
    }

    @Test("have no fractions", arguments: ["1.5", "1e300"])
    func fractions(json: String) throws {
        let value = try JSONReader.read(json)
        #expect(throws: CollectionError.self) { try value.signedBytes() }
    }
}
