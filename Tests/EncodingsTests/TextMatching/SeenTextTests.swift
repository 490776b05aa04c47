import Testing

@testable import Encodings

@Suite("A text as it is seen")
struct SeenTextTests {
    @Test(
        "is what a person types, however the page spells it",
        arguments: [
            ("E–Statements", "E-Statements"), ("E‑Statements", "E-Statements"), ("5 − 3", "5 - 3"),
            ("Relevés d\u{2019}opérations", "Relevés d'opérations"), ("“My” «list»", "\"My\" \"list\""),
            ("More…", "More..."),
            ("Proﬁle", "Profile"), ("GROSSE AUSZÜGE", "große Auszüge"), ("２０２５年３月", "2025年3月"),
            ("\u{200F}03/2025\u{200E}", "03/2025"), ("a\u{200D}b\u{FE0F}", "ab"), ("ΛΟΓΑΡΙΑΣΜΌΣ", "λογαριασμός"),
            ("İŞLEMLER", "işlemler"), ("½", "1/2"), ("Ｐａｙ！", "pay!"), ("m²", "m2"), ("ﬀ Ǆ", "ff dž"),
        ])
    func same(shown: String, typed: String) {
        #expect(shown.asSeen == typed.asSeen)
        #expect("before \(shown) after".containsFolded(typed))
    }

    @Test(
        "differs where a person sees a difference",
        arguments: [("a-b", "ab"), ("März", "Marz"), ("1,5", "1.5"), ("€5", "$5")])
    func different(one: String, other: String) {
        #expect(one.asSeen != other.asSeen)
        #expect(!one.containsFolded(other))
    }

    @Test("is the lower-case text for every character that is known to look like no other")
    func everyCharacter() {
        for scalar in (UInt32(1)...0x1FFFF).lazy.compactMap(Unicode.Scalar.init) {
            let text = String(scalar)
            guard !text.mayLookDifferent, !scalar.properties.isWhitespace, text.seenForm != text.loweringCase else {
                continue
            }
            Issue.record("U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("is the same whether a text is looked up as a whole or piece by piece")
    func pieces() {
        let parts = [
            "a", "I", " ", "ß", "ẞ", "Σ", "ς", "é", "e\u{301}", "\u{307}", "i\u{307}", "İ", "–", "’", "…", "\u{AD}",
            "ﬁ", "ｶ\u{FF9E}",
            "か\u{3099}", "각", "\u{1100}\u{1161}\u{11A8}", "क\u{93C}", "\u{5D0}\u{5B0}", "\u{627}\u{654}", "\u{654}",
            "\u{64B}", "٣", "€", "½", "Ǆ", "\u{200D}",
            "e\u{323}\u{301}",
            "ö\u{323}", "Å", "\u{212B}", "👍🏽", "한", "\u{11A8}", "ே", "ொ", "\u{1F71}", "ώ",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let text = (0..<6).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            #expect(
                Array(text.asSeen.unicodeScalars) == Array(text.seenForm.unicodeScalars), "\(text.debugDescription)")
        }
    }
}
