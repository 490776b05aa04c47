import Testing

@testable import Encodings

@Suite("Text of other people") struct ShownTextTests {
    static let texts: [(String, String)] = [
        ("Hello", "Hello"), ("  a \r\n\tb  ", "a b"), ("a\u{202E}gpj.exe", "agpj.exe"), ("a\u{200B}b\u{FEFF}", "ab"),
        ("bell\u{7}\u{1B}[31m", "bell [31m"), ("a\u{2028}b\u{2029}c", "a b c"), ("Grüße 你好 👩🏽", "Grüße 你好 👩🏽"),
        ("e\u{0301}", "e\u{0301}"), ("\u{E000}x", "x"), ("\u{2066}x\u{2069}", "x"), ("", ""), ("\0", ""),
        ("a\u{200D}b", "ab"), ("👩\u{200D}👩\u{200D}👧 x", "👩\u{200D}👩\u{200D}👧 x"), ("a\u{00A0}\u{3000}b", "a b"),
        ("z" + String(repeating: "\u{0336}", count: 40), "z\u{0336}\u{0336}\u{0336}"),
    ]

    @Test("is cleaned for showing", arguments: texts)
    func cleaned(_ text: String, _ shown: String) {
        #expect(Array(ShownText.cleaned(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test("is shortened to its limit")
    func limit() {
        #expect(ShownText.cleaned(String(repeating: "a", count: 5000), limit: 10) == "aaaaaaaaa…")
        #expect(ShownText.cleaned(String(repeating: "b", count: 10), limit: 10).count == 10)
        #expect(ShownText.cleaned("👩\u{200D}👩\u{200D}👧 abc", limit: 3) == "👩\u{200D}👩\u{200D}👧 …")
    }
}
