import Testing

@testable import AssistantMail

@Suite("Text and addresses of mail") struct MailTextTests {
    static let texts: [(String, String)] = [
        ("Hello", "Hello"), ("  a \r\n\tb  ", "a b"), ("a\u{202E}gpj.exe", "agpj.exe"), ("a\u{200B}b\u{FEFF}", "ab"),
        ("bell\u{7}\u{1B}[31m", "bell [31m"), ("a\u{2028}b\u{2029}c", "a b c"), ("Grüße 你好 👩🏽", "Grüße 你好 👩🏽"),
        ("e\u{0301}", "e\u{0301}"), ("\u{E000}x", "x"), ("\u{2066}x\u{2069}", "x"), ("", ""), ("\0", ""),
        ("z" + String(repeating: "\u{0336}", count: 40), "z\u{0336}\u{0336}\u{0336}"),
    ]

    @Test("is cleaned for showing", arguments: texts)
    func cleaned(_ text: String, _ shown: String) {
        #expect(Array(MailText.cleaned(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test("is shortened to its limit")
    func limit() {
        #expect(MailText.cleaned(String(repeating: "a", count: 5000), limit: 10) == "aaaaaaaaa…")
        #expect(MailText.cleaned(String(repeating: "b", count: 10), limit: 10).count == 10)
    }

    static let addresses: [(String, String?)] = [
        ("ann@x.example", "ann@x.example"), ("Ann <Ann@X.example>", "ann@x.example"),
        ("\"boss@bank.example\" <evil@y.example>", "evil@y.example"),
        ("boss@bank.example <evil@y.example>", "evil@y.example"), ("<a@b.example>", "a@b.example"),
        ("grün@müll.example", "grün@müll.example"), ("ann", nil), ("", nil), ("a@b@c", nil), ("@x.example", nil),
        ("ann@", nil), ("a b@x.example, c@y.example", nil), ("Ann <a@x.example> (evil@y.example)", "a@x.example"),
        ("a@x.example>", nil), ("a@x\0y", nil),
    ]

    @Test("an address is what stands in the last angle brackets", arguments: addresses)
    func address(_ text: String, _ address: String?) {
        #expect(MailAddress(text)?.description == address)
    }

    @Test("a list of recipients has commas in quotes")
    func list() {
        let list = MailAddress.list("\"Doe, Ann\" <ann@x.example>, bo@y.example,, no address, C <c@z.example>")
        #expect(list.map(\.description) == ["ann@x.example", "bo@y.example", "c@z.example"])
        #expect(MailAddress.list("").isEmpty)
    }
}
