import Testing

@testable import Encodings

@Suite("JSON that others send")
struct ForeignJSONTests {
    private static let wanted: JSONValue = ["id": "q9"]

    @Test(
        "is read behind what stands before and after it",
        arguments: [
            "\u{FEFF}{\"id\":\"q9\"}", ")]}',\n{\"id\":\"q9\"}", "\u{FEFF})]}',\n{\"id\":\"q9\"}",
            ")]}'\n{\"id\":\"q9\"}",
            "while(1);{\"id\":\"q9\"}", "for (;;);{\"id\":\"q9\"}", "throw 1; <dont be evil>{\"id\":\"q9\"}",
            "throw 1; < don't be evil' >{\"id\":\"q9\"}",
            "{}&& {\"id\":\"q9\"}", "/*-secure-\n{\"id\":\"q9\"}\n*/", "callback({\"id\":\"q9\"});",
            "/**/jQuery_12.done({\"id\":\"q9\"})", "({\"id\":\"q9\"})", " {\"id\":\"q9\"}\0\0",
        ])
    func guards(text: String) throws {
        #expect(try JSONReader.readForeign(Array(text.utf8)) == Self.wanted)
        #expect(throws: JSONError.self) { try JSONReader.read(text) }
    }

    @Test(
        "keeps what I-JSON refuses",
        arguments: [
            (#"{"id":"q1","id":"q9"}"#, ["id": "q9"]), (#"[9007199254740993123]"#, ["9007199254740993123"]),
            (#"[-9007199254740993]"#, ["-9007199254740993"]), (#"[9007199254740991]"#, [9_007_199_254_740_991]),
            (#"[1e400]"#, ["1e400"]), (#"[NaN,Infinity,-Infinity,-1]"#, ["NaN", "Infinity", "-Infinity", -1]),
            (
                #"["\ud83d","\ude00","\ud83d\ude00","\ud83dx","\ud83d\u0041"]"#,
                ["\u{FFFD}", "\u{FFFD}", "😀", "\u{FFFD}x", "\u{FFFD}A"]
            ),
            (#"["\uffff"]"#, ["\u{FFFF}"]), ("[\"a\tb\nc\"]", ["a\tb\nc"]),
        ] as [(String, JSONValue)])
    func values(text: String, value: JSONValue) throws {
        #expect(try JSONReader.readForeign(Array(text.utf8)) == value)
    }

    @Test(
        "is refused with the byte where it stops to be JSON",
        arguments: [
            ("<html>", 0), ("", 0), (#"{"a":1"#, 6), (#"{"a":01}"#, 6), ("[1,]", 3), ("not json", 0),
            (#"{"a":tru}"#, 5),
            (#"{"a":1} x"#, 8), (")]}',", 5),
        ])
    func refused(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONReader.readForeign(Array(text.utf8)) }
        #expect(error?.offset == offset)
    }
}
