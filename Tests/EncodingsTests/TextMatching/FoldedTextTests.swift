import Testing

@testable import Encodings

@Suite("A text in a text")
struct FoldedTextTests {
    @Test(
        "is found whatever the case and the white space",
        arguments: [
            ("Your session\n has  ENDED", "your session has ended", true), ("Ümlaut\u{A0}ÄÖ", "ümlaut äö", true),
            ("caf\u{E9}", "CAFE\u{301}", true), ("", "a", false), ("a", "", false), ("a", " \t", false),
            ("An offer", "An offer for you", false), ("– ◐ Maintenance", "maintenance", true), ("a b", "ab", false),
            ("\u{FFFD}\u{FFFD}\0\n\0", "\u{FFFD}\0\0\0\0\0\0", false), ("a\u{FFFD}\0\0", "\u{FFFD}\0", true),
        ])
    func table(text: String, other: String, isFound: Bool) {
        #expect(text.containsFolded(other) == isFound)
    }

    @Test("is found with each letter in its other case, and with each sign as it is")
    func everyCharacter() {
        for scalar in (UInt32(0x80)...0x2FFF).lazy.compactMap(Unicode.Scalar.init) {
            let properties = scalar.properties
            guard !properties.isWhitespace, scalar != "\u{200B}" else { continue }
            let text = "a\(properties.lowercaseMapping)b"
            #expect("A\(Character(scalar))B".containsFolded(text), "U+\(String(scalar.value, radix: 16))")
        }
    }
}
