import Clocks
import Testing

@testable import BankScript

@Suite("Parameters")
struct ParameterTests {
    @Test(
        "accept their values, and no others",
        arguments: [
            (Parameter("a", in: 1...12), ["1", "12"], ["0", "13", "x", "", "01", "+1", "1 "]),
            (
                Parameter("a", text: "[0-9]{4}|[A-Z]"), ["0042", "A"],
                ["42", "A0042", "0042\n", "x0042", "AB", "", String(repeating: "1", count: 201)]
            ),
            (
                Parameter("a", dates: "2024-02-28"..."2024-03-01"), ["2024-02-28", "2024-02-29", "2024-03-01"],
                ["2024-02-27", "2024-03-02", "2024-02-30", "2024-2-28", "28.02.2024", "2024-02-28T00:00", "today", ""]
            ),
            (
                Parameter("a", choices: "Current", "Savings"), ["Current", "Savings"],
                ["current", "Curr", "", "Current "]
            ),
            (Parameter("a", text: "["), [], ["[", ""]),
        ])
    func accept(parameter: Parameter, good: [String], bad: [String]) {
        for text in good { #expect(parameter.accepts(ParameterValue(text)), "\(text)") }
        for text in bad { #expect(!parameter.accepts(ParameterValue(text)), "\(text)") }
        if let example = parameter.example { #expect(parameter.accepts(ParameterValue(example))) }
    }

    @Test("fill templates, dates with the filters for dates")
    func templates() throws {
        let values = StatementPeriod.texts(of: ["month": 2, "year": 2024, "from": "2024-01-31", "suffix": "0042"])
        for (text, wanted) in [
            ("{{ from | plus: 1 month | date: dd.MM.yyyy }}", "29.02.2024"),
            ("{{ from | minus: 31 days }}", "2023-12-31"),
            ("*{{ suffix }}", "*0042"), ("{{ last_day }}", "2024-02-29"),
        ] {
            #expect(try Template(text).filled(with: values, locale: "en") == wanted)
        }
    }

    @Test(
        "days are asked for where nothing else has their names",
        arguments: [
            ([], [], true), (Capture("from", from: .cookie("c")).steps, [], false),
            (When(.titled("a")) { Capture("to", from: .cookie("c")) }.steps, [], false),
            ([], Capture("to", from: .cookie("c")).steps, false),
            (Capture("start", from: .cookie("c")).steps, [], true),
        ] as [([Step], [Step], Bool)])
    func days(steps: [Step], passing: [Step], asked: Bool) {
        let script = BankScript(
            id: "days", name: "Days", origins: ["https://bank.example"], parameters: Parameter.statementPeriod,
            interruptions: [Interruption(condition: .titled("News"), response: .pass(passing), mark: nil)],
            steps: steps,
            forEachPeriod: Open("/list/{{ from }}/{{ to }}").steps)
        #expect(script.asksForDays == asked)
    }

    @Test(
        "are refused in YAML with what to write instead",
        arguments: [
            ("text", "write for example { text: \"[0-9]{4}\" }"), ("date", "{ date: 2015-01-01..2100-12-31 }"),
            ("[Current, Savings]", "{ choice: [Current, Savings] }"), ("{ txt: a }", "did you mean “text”?"),
            ("{ text: a, date: b }", "{ text: \"[0-9]{4}\" }"), ("{ date: 2026-02-30..2026-03-01 }", "2015-01-01.."),
            ("{ date: 2026-03-02..2026-03-01 }", "2015-01-01.."), ("{}", "{ text: \"[0-9]{4}\" }"), ("1..x", "1..12"),
        ])
    func yaml(written: String, hint: String) {
        let error = #expect(throws: ScriptSyntaxError.self) {
            try BankScript(
                yaml: """
                    bank: a
                    name: A
                    origins: [https://bank.example]
                    parameters: { a: \(written) }
                    steps: [open: /]
                    """, file: "a.yaml")
        }
        #expect(error?.hint?.contains(hint) == true, "\(error?.description ?? "")")
        #expect(error?.mark.line == 4)
    }

    @Test(
        "are linted with the filters that change them",
        arguments: [
            ("a: { text: \"[\" }", "{{ a }}", "regex"), ("a: { choice: [] }", "{{ a }}", "parameter"),
            ("a: { choice: [x, x] }", "{{ a }}", "parameter"), ("a b: 1..2", "", "parameter"),
            ("a: { text: x }", "{{ a | date: yyyy }}", "filter-kind"),
            ("a: 1..2", "{{ a | plus: 1 day }}", "filter-kind"),
            ("a: { date: 2026-01-01 }", "{{ a.name }}", "filter-kind"),
            ("a: { choice: [x] }", "{{ a | minus: 1 day }}", "filter-kind"),
        ])
    func lint(parameter: String, text: String, rule: String) throws {
        let script = try BankScript(
            yaml: """
                bank: a
                name: A
                origins: [https://bank.example]
                parameters: { \(parameter) }
                steps:
                  - open: "/\(text)"
                  - download: PDF
                """, file: "a.yaml")
        let errors = ScriptLint.findings(in: script).filter { $0.severity == .error }
        #expect(errors.map(\.rule) == [rule], "\(errors)")
    }

    @Test("keep the digests of scripts with whole numbers")
    func digest() {
        #expect(Parameter("month", in: 1...12).json.compactText() == #"{"from":1,"name":"month","to":12}"#)
    }
}
