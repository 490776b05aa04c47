import BankScript
import Testing

@testable import ScriptReview

@Suite("Lint of the steps for each month")
struct PeriodLintTests {
    private static func script(
        parameters: [Parameter] = Parameter.statementPeriod, _ steps: [Step] = Open("/login").steps, each: [Step]
    ) -> BankScript {
        BankScript(
            id: "test", name: "Test", origins: ["https://bank.example"], parameters: parameters, steps: steps,
            forEachPeriod: each)
    }

    private static let good = Open("/list/{{ year }}").steps + Download("{{ month.name }}").steps

    @Test("finds nothing in a good script")
    func clean() {
        let findings = ScriptLint.findings(in: Self.script(each: Self.good))
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test(
        "reports what cannot work a second time",
        arguments: [
            ("period", script(parameters: [Parameter("year", in: 1990...2100)], each: good)),
            ("period", script(Download("PDF").steps, each: good)),
            ("second-download", script(Download("PDF").steps, each: good)),
            ("no-download", script(each: Open("/{{ month }}").steps)),
            ("turn", script(each: Choose("Year", "{{ year }}").steps + good)),
            ("turn", script(each: Open("/list").steps + Download("PDF").steps)),
            ("repeated-sign-in", script(each: good + Fill("Password", with: .password).steps)),
            ("repeated-sign-in", script(each: good + SecondFactor("Code", from: .person, within: .minutes(1)).steps)),
            ("unknown-name", script(each: Open("/{{ mnth }}").steps + good)),
        ])
    func finds(rule: String, script: BankScript) {
        let findings = ScriptLint.findings(in: script)
        #expect(findings.map(\.rule).contains(rule), "\(findings)")
        #expect(findings.allSatisfy { $0.hint != nil }, "\(findings)")
    }
}
