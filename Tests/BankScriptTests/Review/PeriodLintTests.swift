import Testing

@testable import BankScript

@Suite("Lint of the steps for each month")
struct PeriodLintTests {
    private static func script(
        parameters: [Parameter] = Parameter.statementPeriod, _ steps: [Step] = Open("/login").steps,
        accounts: AccountList? = nil, account: [Step] = [], each: [Step]
    ) -> BankScript {
        BankScript(
            id: "test", name: "Test", origins: ["https://bank.example"], parameters: parameters, accounts: accounts,
            steps: steps, forEachAccount: account, forEachPeriod: each)
    }

    private static let list = AccountList(names: .css(".account"), alias: "^[A-Z a-z]+")
    private static let enter = Open("/accounts").steps + Follow(.link("{{ account_name }}")).steps

    private static let answer = AccountList(json: "$.accounts[*]", name: "$.name", id: "$.id")
    private static let asking = Request("GET", "/api/accounts").steps
    private static let byID = Open("/list/{{ account_id }}/{{ year }}").steps + Download("{{ month.name }}").steps

    private static let good = Open("/list/{{ year }}").steps + Download("{{ month.name }}").steps

    @Test("finds nothing in a good script")
    func clean() {
        let findings = ScriptLint.findings(in: Self.script(each: Self.good))
        #expect(findings.isEmpty, "\(findings)")
        let accounts = ScriptLint.findings(in: Self.script(accounts: Self.list, account: Self.enter, each: Self.good))
        #expect(accounts.isEmpty, "\(accounts)")
        let answers = ScriptLint.findings(in: Self.script(Self.asking, accounts: Self.answer, each: Self.byID))
        #expect(answers.isEmpty, "\(answers)")
        let kinds = Self.good + Download("CSV", as: .csv).steps + Download("All", asZIPOf: [.camt, .ofx]).steps
        let several = ScriptLint.findings(in: Self.script(each: kinds))
        #expect(several.isEmpty, "\(several)")
    }

    @Test(
        "warns of a script whose documents no request can ask for: no PDF, and nothing under “for each period”",
        arguments: [
            ("", "open: \"/{{ year }}/{{ month }}.csv\", as: csv", true),
            ("", "open: \"/{{ year }}/{{ month }}.pdf\"", false),
            ("for each period:\n", "open: \"/{{ year }}/{{ month }}.csv\", as: csv", false),
        ])
    func reach(head: String, download: String, isWarned: Bool) throws {
        let yaml =
            "bank: test\nname: Test\norigins: [https://bank.example]\nsteps:\n  - open: /\n"
            + head + "  - download: { \(download) }\n"
        let found = ScriptLint.findings(in: try BankScript(yaml: yaml, file: "a.yaml"))
        let warnings = found.filter { $0.rule == "no-pdf" }
        #expect(warnings.count == (isWarned ? 1 : 0), "\(found)")
        #expect(warnings.allSatisfy { $0.severity == .warning && $0.message.contains("downloads csv") })
        #expect(warnings.allSatisfy { $0.mark?.line == 6 && $0.hint?.contains("for each period") == true })
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
            ("unknown-name", script(each: Open("/{{ account_name }}").steps + good)),
            ("unknown-name", script(Open("/{{ account_name }}").steps, accounts: list, account: enter, each: good)),
            ("second-download", script(each: good + Download("All", asZIPOf: [.camt, .pdf]).steps)),
            ("file-name", script(each: good + Download("Year", asZIPOf: [.camt], named: "{{ year }}").steps)),
            ("unknown-name", script(each: good + Download("Year", asZIPOf: [.camt], named: "{{ mnth }}").steps)),
            (
                "file-name",
                script(
                    each: Open("/{{ from }}/{{ to }}").steps
                        + Download("Year", asZIPOf: [.camt], named: "{{ month }}").steps)
            ),
            ("account", script(account: enter, each: good)),
            ("account", script(accounts: list, account: enter, each: [])),
            ("account", script(accounts: AccountList(names: .css("b"), alias: "("), account: enter, each: good)),
            ("turn", script(accounts: list, each: good)),
            ("turn", script(accounts: list, account: Choose("Account", "{{ account_name }}").steps, each: good)),
            ("period", script(accounts: list, account: enter + Download("PDF").steps, each: good)),
            // Accounts in a JSON answer.
            ("unknown-name", script(accounts: list, account: enter, each: Open("/{{ account_id }}").steps + good)),
            ("account", script(Fill("PIN", with: .password).steps, accounts: answer, each: byID)),
            ("json-path", script(asking, accounts: AccountList(json: "$.a[", name: "$.n", id: "$.i"), each: byID)),
            ("json-path", script(asking, accounts: AccountList(json: "$.a[*]", name: "n", id: "$.i"), each: byID)),
            ("turn", script(asking, accounts: answer, each: good)),
            (
                "repeated-sign-in",
                script(accounts: list, account: enter + Fill("PIN", with: .password).steps, each: good)
            ),
        ])
    func finds(rule: String, script: BankScript) {
        let findings = ScriptLint.findings(in: script)
        #expect(findings.map(\.rule).contains(rule), "\(findings)")
        #expect(findings.allSatisfy { $0.hint != nil }, "\(findings)")
    }

    private static func script(atOnce: Int, engine: ScriptEngine = .html, each: [Step]) -> BankScript {
        var script = script(each: each)
        script.atOnce = atOnce
        script.engine = engine
        return script
    }

    private static let severalKinds = good + Download("CSV", as: .csv).steps

    @Test("says where “at once” cannot do what it says")
    func atOnce() {
        func words(_ script: BankScript) -> [String] {
            ScriptLint.findings(in: script).filter { $0.rule == "at-once" }.map(\.message)
        }
        #expect(words(Self.script(atOnce: 3, each: Self.severalKinds)).isEmpty)
        #expect(words(Self.script(atOnce: 1, engine: .browser, each: Self.good)).isEmpty)
        #expect(
            words(Self.script(atOnce: 7, each: Self.severalKinds)) == ["1 to 6 downloads may run side by side, not 7"])
        #expect(words(Self.script(atOnce: 3, each: Self.good)).first?.contains("no two downloads") == true)
        let alone = Download(from: .open("/{{ year }}/{{ month }}.pdf")).steps
        #expect(words(Self.script(atOnce: 3, each: alone)).isEmpty, "the months run side by side")
        let browser = words(Self.script(atOnce: 3, engine: .browser, each: Self.severalKinds))
        #expect(browser.first?.contains("one file after another") == true)
        let post = Download(from: .request(RequestStep(method: "POST", reference: "/f")), as: .document(.ofx))
        let posted = words(Self.script(atOnce: 3, each: Self.severalKinds + post.steps))
        #expect(posted.first?.contains("runs alone") == true)
    }
}
