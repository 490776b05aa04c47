import PhoneStore
import Testing

@Suite("A foreign text in a report") struct ReportTextTests {
    @Test(
        "is one line of what is seen, and the emojis that are made of several stay whole",
        arguments: [
            ("  wrong \t\n month\u{0} ", "wrong month"), ("a\u{202E}b\u{E000}\u{2028}c", "a b c"),
            ("a\u{00A0}\u{200B} b", "a b"), ("\u{200B}", ""),
            ("👨\u{200D}👩\u{200D}👧 ❤\u{FE0F}\u{200D}🔥", "👨\u{200D}👩\u{200D}👧 ❤\u{FE0F}\u{200D}🔥"),
            ("a\u{200D}b 1\u{200D}2 👨\u{200D}", "a b 1 2 👨"), ("👨\u{200D}\u{200D}👩", "👨 👩"),
        ])
    func cleaned(_ text: String, _ expected: String) { #expect(ReportText.cleaned(text) == expected) }

    @Test("is cut to its limit between two characters")
    func limit() {
        #expect(ReportText.cleaned("👨\u{200D}👩\u{200D}👧 abc", limit: 3) == "👨\u{200D}👩\u{200D}👧 …")
        #expect(ReportText.cleaned("abc", limit: 3) == "abc")
    }
}
