import Testing

@testable import Encodings

@Suite("Folding white space")
struct FoldingSpaceTests {
    @Test(
        "leaves one space for each run of it, and none at the ends",
        arguments: [
            ("", ""), (" ", ""), ("a", "a"), ("  a \t\r\n b ", "a b"), ("–\u{A0}£ 1", "– £ 1"),
            ("\u{FEFF}a\u{200B}b\u{2028}", "ab"), ("Konto\u{AD}auszug \u{2060} a", "Kontoauszug a"),
            ("é\u{85}ü", "é ü"), ("日\u{3000}本", "日 本"),
            ("◐ Meridian\u{202F}Savings", "◐ Meridian Savings"), ("👩‍👩‍👧 x", "👩‍👩‍👧 x"),
        ])
    func table(text: String, folded: String) {
        #expect(text.foldingSpace == folded)
    }

    @Test("knows every scalar that Unicode calls white space, and drops those without width")
    func everyScalar() {
        for value in UInt32(1)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let hasNoWidth = [0xAD, 0x200B, 0x2060, 0xFEFF].contains(value)
            let folded = "a\(scalar)b".foldingSpace
            let isRight =
                hasNoWidth ? folded == "ab" : (folded == "a b") == scalar.properties.isWhitespace && folded != "ab"
            guard !isRight else { continue }
            Issue.record("U+\(String(value, radix: 16)) is folded to “\(folded)”")
        }
    }
}
