import Testing

@testable import Terminal

@Suite("The columns of a text")
struct TerminalColumnsTests {
    @Test(
        "are two for what a terminal shows wide",
        arguments: [
            ("", 0), ("Bank", 4), ("Ünïon", 5), ("e\u{301}", 1), ("Ｂａｎｋ", 8), ("輸銀行", 6), ("ﾊﾝｸ", 3), ("은행", 4),
            ("🏦", 2), ("👩‍💻", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("…", 1), ("€5", 2), ("⌚", 2), ("【a】", 5),
        ])
    func columns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(
        "a beginning that has room ends before a character that is too wide",
        arguments: [(4, "a輸"), (3, "a輸"), (2, "a"), (0, "")])
    func prefix(columns: Int, beginning: String) {
        #expect("a輸銀行".prefix(columns: columns) == beginning)
    }

    @Test("a table of wide words is as wide as the screen at most", arguments: [30, 41, 80], [true, false])
    func table(width: Int, wrapsLast: Bool) {
        var table = Table("ID", "NAME", "WHAT", wrapsLast: wrapsLast)
        table.add("3f2a9c1e", String(repeating: "Ｂａｎｋ", count: 10), String(repeating: "輸銀行🏦", count: 20))
        table.add("7b644f0e", "short", "also short")
        let lines = table.lines(width: width).map(\.text)
        #expect(lines.allSatisfy { $0.columns <= width }, "\(lines)")
        // The columns stand under one another for a person.
        let begins = lines.filter { $0.hasPrefix("3f2a9c1e") || $0.hasPrefix("7b644f0e") || $0.hasPrefix("ID") }
        #expect(begins.count == 3)
        if wrapsLast {
            let words = lines.joined().filter { "輸銀行🏦".contains($0) }
            #expect(words == String(repeating: "輸銀行🏦", count: 20), "nothing is lost")
        }
    }

    @Test("lines are broken by columns, and a word wider than a line loses nothing")
    func wrapping() {
        let word = String(repeating: "銀行", count: 30)
        let lines = LineWrapping.lines(of: ["短い", word, "end"], width: 21, indent: "  ", breaksWords: true)
        #expect(lines.allSatisfy { $0.columns <= 21 }, "\(lines)")
        #expect(lines.joined().filter { $0 != " " } == "短い" + word + "end")
        // A screen of one column cannot hold a wide character, which then stands alone.
        #expect(LineWrapping.lines(of: ["銀行"], width: 1, breaksWords: true) == ["銀", "行"])
    }
}
