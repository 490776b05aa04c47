import BankScript
import Testing

@Suite("A wait, in words for the owner")
struct WaitWordsTests {
    @Test(
        "says how the page is looked at again",
        arguments: [
            ("wait until: { page: { shows: { link: PDF } }, within: 1 min }", false),
            ("wait until: { page: { shows: { link: PDF } }, within: 1 min, reload: true }", true),
            ("second factor: { push until: { titled: Accounts }, from: [person], within: 1 min }", false),
            ("second factor: { push until: { titled: Accounts }, from: [person], within: 1 min, reload: true }", true),
        ])
    func looks(step: String, reloads: Bool) throws {
        let script = try BankScript(
            yaml: """
                bank: waiting
                name: Waiting Bank
                origins: [https://bank.example]
                steps:
                  - \(step)
                """, file: "waiting.yaml")
        let lines = ScriptDisclosure(script).lines.map { $0.trimmingCharacters(in: .whitespaces) }
        let watching = "in a browser watch the page, without one reload it each time"
        #expect(lines.contains(reloads ? "each time reload the page" : watching), "\(lines)")
        #expect(lines.filter { $0.contains("reload") }.count == 1)
    }
}
