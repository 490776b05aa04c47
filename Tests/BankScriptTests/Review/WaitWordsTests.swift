import BankScript
import Testing

@Suite("A wait, in words for the owner")
struct WaitWordsTests {
    @Test(
        "says how the page is looked at again",
        arguments: [
            ("wait until: { page: { shows: { link: PDF } }, within: 1 min }", "in a browser watch the page, without one reload it each time"),
            ("wait until: { page: { shows: { link: PDF } }, within: 1 min, reload: true }", "each time reload the page"),
            (
                "second factor: { push until: { titled: Accounts }, from: [person], within: 1 min }",
                "in a browser watch the page, without one reload it each time"
            ),
            (
                "second factor: { push until: { titled: Accounts }, from: [person], within: 1 min, reload: true }",
                "each time reload the page"
            ),
        ])
    func looks(step: String, words: String) throws {
        let script = try BankScript(
            yaml: """
                bank: waiting
                name: Waiting Bank
                origins: [https://bank.example]
                steps:
                  - \(step)
                """)
        let lines = ScriptDisclosure(of: script).lines.map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.contains(words), "\(lines)")
        #expect(lines.filter { $0.contains("reload") }.count == 1)
    }
}
