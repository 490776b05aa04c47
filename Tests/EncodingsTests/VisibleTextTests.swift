import Foundation
import Testing

@testable import Encodings

@Suite("A stranger's text")
struct VisibleTextTests {
    @Test(
        "cannot control the terminal, begin a line, or look like other text",
        arguments: [
            ("Guten Tag, “Zürich” — 3\u{A0}€  c", "Guten Tag, “Zürich” — 3\u{A0}€  c"),
            ("one\ntwo\tthree\r\nfour", "one\\u000atwo\\u0009three\\u000d\\u000afour"),
            ("\u{1B}[2J\u{1B}]0;title\u{7}gone", "\\u001b[2J\\u001b]0;title\\u0007gone"),
            ("accept\rdeny", "accept\\u000ddeny"), ("\u{9B}31m", "\\u009b31m"), ("del\u{7F}", "del\\u007f"),
            ("https://bank.example/\u{202E}gpj.exe", "https://bank.example/\\u202egpj.exe"),
            ("a\u{2028}b\u{2029}c\u{85}d", "a\\u2028b\\u2029c\\u0085d"),
            ("pay\u{200B}pal\u{2060}\u{FEFF}\u{AD}", "pay\\u200bpal\\u2060\\ufeff\\u00ad"),
            ("\u{E000}\u{10FFFD}", "\\ue000\\udbff\\udffd"), ("\u{378}", "\\u0378"), ("\u{3164}", "\\u3164"),
            ("tag \u{E0041}", "tag \\udb40\\udc41"), ("a\u{200D}b", "a\\u200db"), ("a\u{FE0F}", "a\\ufe0f"),
            ("👩‍💻 ❤️ شكرا", "👩‍💻 ❤️ شكرا"), ("👩\u{200D}", "👩\\u200d"),
            // Empty in every font, and neither a space nor ignorable to Unicode.
            ("a\u{2800}b", "a\\u2800b"), ("\u{1D159}", "\\ud834\\udd59"), ("\u{16FE4}", "\\ud81b\\udfe4"),
            ("❤\u{FE0F}\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\ufe0f\\ufe0f"),
        ])
    func visible(text: String, shown: String) {
        #expect(text.visible == shown)
        #expect(text.visible.visible == shown)
        #expect(text.hiddenScalars.isEmpty == (text == shown))
        #expect(text.inLine() == shown)
    }

    @Test("keeps the meaning of JSON")
    func json() throws {
        let value = JSONValue.object(["name": "a\u{202E}b\u{1B}\u{9B}\u{7F}\u{E0041}"])
        #expect(try JSONReader.read(value.compactText().visible) == value)
    }

    @Test("is cut in its middle, and its length is told", arguments: [40, 200, 600])
    func cut(limit: Int) {
        let text = "the beginning " + String(repeating: "a", count: 10_000) + ".evil.example"
        let shown = text.inLine(limit: limit)
        #expect(shown.count <= limit && shown.hasPrefix("the begin"), "\(shown)")
        #expect(shown.hasSuffix("e (10027 characters)"), "\(shown)")
        #expect(shown.inLine(limit: limit) == shown, "a cut text stays as it is")
    }

    @Test("has no more room for escapes and marks than for letters", arguments: ["\u{202E}", "e\u{301}\u{301}", "👩‍💻"])
    func bounded(piece: String) {
        let shown = String(repeating: piece, count: 5_000).inLine()
        #expect(shown.unicodeScalars.count <= 200, "\(shown.unicodeScalars.count)")
        #expect(shown.hiddenScalars.isEmpty && shown.inLine() == shown)
    }

    @Test("cannot draw over the lines around it by marks on its letters", arguments: ["\u{301}", "\u{20DD}"])
    func marks(mark: String) {
        let shown = ("e" + String(repeating: mark, count: 40) + " end").inLine(limit: 600)
        #expect(shown.unicodeScalars.count { $0 == mark.unicodeScalars.first } == 8, "\(shown)")
        #expect(shown.hasSuffix(" end") && shown.inLine(limit: 600) == shown)
        #expect("tiếng Việt, שָׁלוֹם, ที่นี่".decomposedStringWithCanonicalMapping.hiddenScalars.isEmpty)
    }

    @Test(
        "cannot reach the next row of a terminal by what is blank",
        arguments: ["   \u{2800}", "\u{2800}", "  \u{3164}", "   \u{1D159}", "\u{115F}"])
    func blanks(blank: String) {
        let shown = ("a" + String(repeating: blank, count: 40) + "Accepted").inLine(limit: 2_000)
        #expect(shown.firstMatch(of: /[^\\0-9a-z]{4}/) == nil, "\(shown)")
    }

    @Test("cannot reach the next row of a terminal by spaces", arguments: [" ", "\u{A0}", "\u{3000}"])
    func spaces(space: String) {
        let shown = ("a" + String(repeating: space, count: 20) + "Accepted").inLine()
        #expect(shown.hasPrefix("a" + String(repeating: space, count: 3) + "\\u"))
        #expect("a b  c   d".inLine() == "a b  c   d")
    }
}
