import Testing

@testable import HTMLEngine

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

    @Test(
        "is found on a page as a person reads it, whatever parts the words",
        arguments: [
            ("your session has ended", true), ("has ended. Sign in", true), ("SIGN IN £5", true), ("hidden", false),
            ("sessionhas", false), ("end ed", false), ("ÉTÉ", true), ("été\u{200B} again", true),
        ])
    func page(words: String, isFound: Bool) throws {
        let page = """
            <title>Elsewhere</title><p>Your <b>ses</b>sion<br>\n has ended.<p>Sign\u{A0}in <td>£5</td><p hidden>hidden
            <p>E\u{301}t\u{E9} <i>again</i>
            """
        let document = try Document.parse(Array(page.utf8), contentType: "text/html; charset=utf-8")
        #expect(FoldedText(of: document).contains(words) == isFound)
        #expect(document.text.containsFolded(words) == isFound)
    }
}
