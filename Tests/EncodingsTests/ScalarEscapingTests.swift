import Testing

@testable import Encodings

@Suite("Escaping")
struct ScalarEscapingTests {
    @Test(
        "looks at each scalar by itself",
        arguments: [
            ("a < b", "a &lt; b"), ("\u{600}<script>", "\u{600}&lt;script&gt;"), ("\"\u{301}x", "&quot;\u{301}x"),
            ("<\u{338}", "&lt;\u{338}"), ("'&", "&#39;&amp;"), ("é", "é"), ("", ""),
        ])
    func html(text: String, wanted: String) {
        #expect(Array(text.escapedForHTML.unicodeScalars) == Array(wanted.unicodeScalars))
    }

    @Test("finds a newline behind a carriage return")
    func newline() {
        #expect("a\r\nb".escaping(["\n": "%0A", "\r": "%0D"]) == "a%0D%0Ab")
    }
}
