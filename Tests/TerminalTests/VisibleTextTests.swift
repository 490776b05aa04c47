import JSON
import Testing

@testable import Terminal

@Suite("Untrusted text on a terminal")
struct VisibleTextTests {
    @Test(
        "cannot control the terminal, and cannot look like other text",
        arguments: [
            ("Guten Tag, “Zürich” — 3\u{A0}€\n\tindented", "Guten Tag, “Zürich” — 3\u{A0}€\n\tindented"),
            ("\u{1B}[2J\u{1B}]0;title\u{7}gone", "\\u001b[2J\\u001b]0;title\\u0007gone"),
            ("accept\rdeny", "accept\\u000ddeny"), ("\u{9B}31m", "\\u009b31m"),
            ("https://bank.example/\u{202E}gpj.exe", "https://bank.example/\\u202egpj.exe"),
            ("👩‍💻 شكرا", "👩‍💻 شكرا"),
        ])
    func visible(text: String, shown: String) {
        #expect(text.visible == shown)
        #expect(text.visible.visible == shown)
    }

    @Test("keeps the meaning of JSON")
    func json() throws {
        let value = JSONValue.object(["name": "a\u{202E}b\u{1B}\u{9B}\u{7F}"])
        #expect(try JSONReader.read(value.compactText().visible) == value)
    }

    @Test("is escaped by the console")
    func console() async {
        await confirmation { printed in
            Console { text in
                #expect(text == "a\\u001bb\n")
                printed()
            }.line("a\u{1B}b", .bold)
        }
    }
}
