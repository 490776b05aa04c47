import Testing

@testable import Encodings

@Suite("Text in a spreadsheet") struct FormulaGuardTests {
    @Test(
        "no cell begins a formula, whichever separator splits the text",
        arguments: [
            ("=1", "'=1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\t=1", "'\t'=1"), ("\r=1", "'\r'=1"),
            ("thanks;=cmd|'/C calc'!A1;x", "thanks;'=cmd|'/C calc'!A1;x"), ("a,=1", "a,'=1"), ("a|@1|b", "a|'@1|b"),
            ("a\n+1", "a\n'+1"), ("\"=1", "'\"=1"), ("a;\"\"=1", "a;'\"\"=1"), ("'=1", "''=1"),
            ("=\u{301}1", "'=\u{301}1"), ("rent, paid; 5=5", "rent, paid; 5=5"), ("", ""), (";;", ";;"), ("a'b", "a'b"),
        ])
    func cells(_ text: String, guarded: String) {
        #expect(FormulaGuard.guarded(text) == guarded)
        #expect(FormulaGuard.unguarded(guarded) == text)
    }

    @Test("every text of up to six dangerous characters comes back, and has no formula at any separator")
    func everyText() {
        var texts = [""]
        for _ in 0..<6 {
            texts = texts.flatMap { text in ["", "=", "'", "\"", ";", "a"].map { text + $0 } }
        }
        for text in Set(texts) {
            let guarded = FormulaGuard.guarded(text)
            #expect(FormulaGuard.unguarded(guarded) == text)
            for cell in guarded.split(separator: ";", omittingEmptySubsequences: false) {
                #expect(cell.drop { $0 == "\"" }.first != "=")
            }
        }
    }
}
