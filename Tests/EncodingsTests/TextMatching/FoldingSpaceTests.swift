import Testing

@testable import Encodings

@Suite("Folding white space")
struct FoldingSpaceTests {
    @Test(
        "leaves one space for each run of it, and none at the ends",
        arguments: [
            ("", ""), (" ", ""), ("a", "a"), ("  a \t\r\n b ", "a b"), ("–\u{A0}£ 1", "– £ 1"),
            ("\u{FEFF}a\u{200B}b\u{2028}", "a b"), ("é\u{85}ü", "é ü"), ("日\u{3000}本", "日 本"),
            ("◐ Meridian\u{202F}Savings", "◐ Meridian Savings"), ("👩‍👩‍👧 x", "👩‍👩‍👧 x"),
        ])
    func table(text: String, folded: String) {
        #expect(text.foldingSpace == folded)
    }

    @Test("knows every scalar that Unicode calls white space, and no other but those without width")
    func everyScalar() {
        for value in UInt32(1)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isSpace = scalar.properties.isWhitespace || value == 0x200B || value == 0xFEFF
            let folded = "a\(scalar)b".foldingSpace
            guard (folded == "a b") != isSpace else { continue }
            Issue.record("U+\(String(value, radix: 16)) is folded to “\(folded)”")
        }
    }
}
