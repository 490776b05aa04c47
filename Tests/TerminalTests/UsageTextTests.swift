import Testing

@testable import Terminal

@Suite("The usage line of a help text")
struct UsageTextTests {
    @Test("breaks between options, never within one, and leaves the other lines as they are")
    func wrapped() {
        let long = String(repeating: "another line that is longer than the terminal ", count: 3)
        let text = """
            OVERVIEW: Approve a request.

            USAGE: countersign approve [<id>] [--home <home>] [--passphrase-file <passphrase-file>] [--json]
            \(long)
            """
        #expect(
            UsageText.wrapped(text) == """
                OVERVIEW: Approve a request.

                USAGE: countersign approve [<id>] [--home <home>]
                       [--passphrase-file <passphrase-file>] [--json]
                \(long)
                """)
    }

    @Test(
        "keeps a line that fits, and one option that does not",
        arguments: ["Usage: countersign up [--bank <bank>]", "Usage: \(String(repeating: "x", count: 90))", ""])
    func kept(line: String) {
        let whole = UsageText.wrapped(line).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(whole == line)
    }
}
