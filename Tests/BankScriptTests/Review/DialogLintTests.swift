import Testing

@testable import BankScript

@Suite("Lint of answers to dialogs")
struct DialogLintTests {
    private func findings(_ engine: ScriptEngine, _ rules: [DialogRule]) -> [Finding] {
        ScriptLint.findings(
            in: BankScript(
                id: "test", name: "Test", origins: ["https://bank.example"], engine: engine, dialogs: rules,
                steps: Open("/{{ month }}/{{ year }}").steps + Download("PDF").steps))
    }

    @Test("finds nothing in a script for the browser")
    func good() {
        let rules = [
            DialogRule(saying: "Stay signed in", answer: .accept()),
            DialogRule(saying: "Stay", answer: .dismiss),
            DialogRule(saying: "Name", answer: .accept(typing: "Office")),
        ]
        #expect(findings(.browser, rules) == [])
        #expect(findings(.html, []) == [])
    }

    @Test("warns where the engine has no dialogs, with what to write")
    func withoutBrowser() {
        let found = findings(.html, [DialogRule(saying: "Stay signed in", answer: .accept())])
        #expect(found.map(\.rule) == ["dialogs"] && found.first?.severity == .warning)
        #expect(found.first?.hint?.contains("engine: browser") == true)
        #expect(found.first?.mark != nil)
    }

    @Test("finds a rule that an earlier one hides")
    func hidden() {
        let found = findings(
            .browser,
            [DialogRule(saying: "stay", answer: .accept()), DialogRule(saying: "Please Stay", answer: .dismiss)])
        #expect(found.map(\.rule) == ["unreachable"] && found.first?.severity == .error)
    }

    @Test(
        "finds rules in Swift that the reader of YAML refuses",
        arguments: [
            DialogRule(saying: "", answer: .accept()), DialogRule(saying: "{{ year }}", answer: .dismiss),
            DialogRule(saying: "Password", answer: .accept(typing: "$password")),
        ])
    func faults(_ rule: DialogRule) {
        let found = findings(.browser, [rule])
        #expect(found.map(\.rule) == ["dialogs"] && found.first?.severity == .error)
    }
}
