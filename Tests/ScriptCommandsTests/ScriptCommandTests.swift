import BankScript
import Foundation
import MockBank
import TestSupport
import Testing

@testable import ScriptCommands

/// `countersign script`, as a person or a build runs it.
@Suite("The commands for scripts")
struct ScriptCommandTests {
    private static let bank = Repository.file("BankScripts/DefaultBank")

    private static let head = "bank: x\nname: X\norigins: [https://x.example]\nsteps:\n"

    private static let flawed =
        head + "  - open: /login\n  - fill: { Password: hunter2 }\n  - follow: \"{{ mnth }}\"\n"
        + "  - press: { css: \"li:nth-child(2)\" }\n  - download: PDF\n"

    // MARK: Lint

    @Test("points at the exact word, with a caret and a hint")
    func lintText() async throws {
        try await TemporaryFolder.with(["x.yaml": Self.flawed]) { folder in
            let outcome = try await CountersignProcess(["script", "lint", "x.yaml"], in: folder).run()
            #expect(outcome.status == 3)
            #expect(
                outcome.output == """
                    x.yaml:6:23: error: the script contains the value for “Password” as plain text, for anyone to read [secret-in-script]
                      6 |   - fill: { Password: ••• }
                        |                       ^
                      hint: write $password; the phone fills in the value
                    x.yaml:7:17: error: “mnth” is not known here [unknown-name]
                      7 |   - follow: "{{ mnth }}"
                        |                 ^
                      hint: did you mean “month.name” for its name, or “month” for its number?
                    x.yaml:8:20: warning: “li:nth-child(2)” depends on positions, which change with the page [fragile-selector]
                      8 |   - press: { css: "li:nth-child(2)" }
                        |                    ^
                      hint: use what a person sees: a label, a button, or text in the row
                    X, 5 steps, digest \(try await CountersignProcess.digest(of: "x.yaml", in: folder)): 2 errors, 1 warning

                    """)
        }
    }

    @Test(
        "counts the steps that a person accepts, those for each month among them",
        arguments: [
            ("Starling/starling.yaml", "5 steps"), ("Monzo/monzo.yaml", "4 steps"), ("Up/up.yaml", "2 steps"),
        ])
    func lintCount(file: String, steps: String) async throws {
        let path = Repository.file("BankScripts/\(file)")
        let question = AcceptanceQuestion(try BankScript(yaml: String(contentsOf: path, encoding: .utf8), file: file))
        #expect(question.description.contains(" run its \(steps) and "))
        let outcome = try await CountersignProcess(["script", "lint", path.path], in: Self.bank).run()
        #expect(outcome.output.contains(", \(steps), digest "), "\(outcome.output)")
    }

    @Test("prints findings as JSON, and as annotations of a workflow run")
    func lintFormats() async throws {
        try await TemporaryFolder.with(["x.yaml": Self.flawed, "broken.yaml": Self.head + "  - opne: /\n"]) { folder in
            let json = try await CountersignProcess(["script", "lint", "x.yaml", "--format", "json"], in: folder).run()
            #expect(json.status == 3)
            let rows = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
            #expect(rows.map { $0["rule"] as? String } == ["secret-in-script", "unknown-name", "fragile-selector"])
            #expect(rows.map { $0["line"] as? Int } == [6, 7, 8])
            #expect(rows.allSatisfy { $0["column"] != nil && $0["hint"] != nil })

            let github = try await CountersignProcess(["script", "lint", "x.yaml", "--format", "github"], in: folder)
                .run()
            let lines = github.output.split(separator: "\n")
            #expect(lines.count == 3)
            #expect(
                lines[1]
                    == "::error file=x.yaml,line=7,col=17,title=unknown-name::“mnth” is not known here; did you mean “month.name” for its name, or “month” for its number?"
            )
            #expect(lines[2].hasPrefix("::warning file=x.yaml,line=8,"))

            let broken = try await CountersignProcess(
                ["script", "lint", "broken.yaml", "--format", "github"], in: folder
            )
            .run()
            #expect(broken.status == 3)
            #expect(broken.output.hasPrefix("::error file=broken.yaml,line=5,col=5,title=syntax::"))
            #expect(broken.errors.isEmpty)
        }
    }

    @Test("treats warnings as errors with --strict")
    func lintStrict() async throws {
        let script = Self.head + "  - press: { css: \"li:nth-child(2)\" }\n  - download: PDF\n"
        try await TemporaryFolder.with(["x.yaml": script]) { folder in
            for (options, status) in [([], 0), (["--strict"], 3)] as [([String], Int32)] {
                let outcome = try await CountersignProcess(["script", "lint", "x.yaml"] + options, in: folder).run()
                #expect(outcome.status == status)
            }
        }
    }

    // MARK: Test

    private static let script = "meridian-savings.yaml"

    @Test("runs a matrix, and exits with 0 if every outcome is as expected, else with 1")
    func matrix() async throws {
        let rows = "parameters: { month: 11, year: 2025 }\nscenarios:\n  - happy: statement\n"
        try await TemporaryFolder.with(["good.yaml": rows, "bad.yaml": rows + "  - wrong-code: statement\n"]) {
            folder in
            let path = Self.bank.appending(path: Self.script).path
            let good = try await CountersignProcess(["script", "test", path, "--matrix", "good.yaml"], in: folder).run()
            #expect(good.status == 0, "\(good.errors)")
            #expect(good.output.contains("1 scenario as expected"))

            let bad = try await CountersignProcess(
                ["script", "test", path, "--matrix", "bad.yaml", "--tap", "--junit", "junit.xml"], in: folder
            ).run()
            #expect(bad.status == 1)
            #expect(bad.output.contains("ok 1 - happy"))
            #expect(bad.output.contains("not ok 2 - wrong-code"))
            let junit = try String(contentsOf: folder.appending(path: "junit.xml"), encoding: .utf8)
            #expect(junit.contains(#"tests="2" failures="1""#))

            let json = try await CountersignProcess(
                ["script", "test", path, "--matrix", "good.yaml", "--json"], in: folder
            )
            .run()
            #expect(json.output.contains(#""passed":true"#))
        }
    }

    @Test(
        "reports errors in a matrix, a script, or the command line",
        arguments: [
            (["x.yaml"], 2, "x.yaml has no tests: x.test.yaml does not exist"),
            (["missing.yaml"], 2, "missing.yaml does not exist"),
            (["x.yaml", "--matrix", "odd.yaml"], 3, "did you mean “happy”?"),
            (["flawed.yaml", "--matrix", "odd.yaml"], 3, "flawed.yaml:7:17: error: “mnth” is not known here"),
            (["x.yaml", "--tap", "--json"], 2, "not both"),
            (["x.yaml", "--jobs", "0"], 2, "--jobs must be 1 to 64"),
        ] as [([String], Int32, String)])
    func complains(arguments: [String], status: Int32, words: String) async throws {
        let files = [
            "x.yaml": Self.head + "  - download: PDF\n", "odd.yaml": "scenarios:\n  - hapy: statement\n",
            "flawed.yaml": Self.flawed,
        ]
        try await TemporaryFolder.with(files) { folder in
            let outcome = try await CountersignProcess(["script", "test"] + arguments, in: folder).run()
            #expect(outcome.status == status)
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    // MARK: Run

    @Test(
        "takes texts, dates and choices as parameters",
        arguments: [
            (
                ["iban=12", "from=2026-01-31", "kind=Savings"],
                "iban is “12”, but must be a text that matches “[0-9]{4}”"
            ),
            (["iban=0012", "from=31.01.2026", "kind=Savings"], "must be a date from 2015-01-01 to 2030-12-31"),
            (["iban=0012", "from=2026-01-31", "kind=savings"], "must be one of: Current, Savings account"),
            (["iban=0012", "from=2026-01-31"], "the script needs kind; add --param kind=Current"),
            (["from=2026-01-31", "kind=Current"], "the script needs iban; add --param iban=…"),
            // All are accepted: the step's name is checked next.
            (["iban=0012", "from=2026-01-31", "kind=Savings account"], "--until: no step matches “nothing”"),
        ])
    func typedParameters(given: [String], words: String) async throws {
        let script = """
            bank: x
            name: X
            origins: [https://bank.example]
            parameters:
              iban: { text: "[0-9]{4}" }
              from: { date: 2015-01-01..2030-12-31 }
              kind: { choice: [Current, Savings account] }
            steps:
              - open: "/{{ iban }}/{{ kind | urlencode }}/{{ from | date: dd.MM.yyyy }}"
              - download: PDF

            """
        try await TemporaryFolder.with(["x.yaml": script, "login.json": "{}"]) { folder in
            let options = given.flatMap { ["--param", $0] }
            let outcome = try await CountersignProcess(
                ["script", "run", "x.yaml", "--credentials", "login.json", "--until", "nothing"] + options, in: folder
            ).run()
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    @Test(
        "refuses parameters that the script does not have, or that are given twice",
        arguments: [
            (["monht=1", "year=2025"], "the script has no parameter “monht”; did you mean month?"),
            (["monat=1", "year=2025"], "the script has no parameter “monat”; did you mean month?"),
            (["month=1", "month=2", "year=2025"], "month is given twice; give it once"),
            (["month=jan", "year=2025"], "month is “jan”, but must be a whole number"),
            (["month=13", "year=2025"], "month is 13, but must be 1 to 12"),
            (["month", "year=2025"], "“month” has no value"),
        ])
    func parameters(given: [String], words: String) async throws {
        try await TemporaryFolder.with(["x.yaml": Self.head + "  - download: PDF\n", "login.json": "{}"]) { folder in
            let options = given.flatMap { ["--param", $0] }
            let outcome = try await CountersignProcess(
                ["script", "run", "x.yaml", "--credentials", "login.json"] + options, in: folder
            ).run()
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    @Test("ends a failed run with 1, the script's line and the page, and a successful dry run with 0")
    func runs() async throws {
        let script = try String(contentsOf: Self.bank.appending(path: Self.script), encoding: .utf8)
        let files = [
            "good.yaml": script, "bad.yaml": script.replacing("press: Sign in", with: "press: Log in"),
            "login.json": #"{"username": "robin.ashdown", "password": "correct horse", "code": "123456"}"#,
        ]
        let bank = try await MockBankServer.start()
        try await TemporaryFolder.with(files) { folder in
            let options = [
                "--at", bank.url, "--credentials", "login.json", "--param", "month=1", "--param", "year=2025",
            ]
            let bad = try await CountersignProcess(["script", "run", "bad.yaml"] + options, in: folder).run()
            #expect(bad.status == 1)
            #expect(bad.errors.contains("nothing is found by: button “Log in”"))
            #expect(bad.errors.contains("15 |   - press: Log in"))
            #expect(bad.errors.contains("“Sign in – Meridian Savings” \(bank.url)/login"))
            #expect(bad.errors.contains("nearest <button> “Sign in”"))
            #expect(!(bad.errors + bad.output).contains("correct horse"))

            let events = try await CountersignProcess(["script", "run", "bad.yaml", "--json"] + options, in: folder)
                .run()
                .output
            let failed = try #require(events.split(separator: "\n").first { $0.contains("step_failed") })
            for member in [
                #""line":15"#, #""error_code":"NAVIGATION_FAILED""#, #""title":"Sign in – Meridian Savings""#,
            ] {
                #expect(failed.contains(member), "\(failed)")
            }

            let good = try await CountersignProcess(["script", "run", "good.yaml", "--dry-run"] + options, in: folder)
                .run()
            #expect(good.status == 0, "\(good.errors)")
            #expect(good.output.contains("Dry run: would keep default-month-1-year-2025.pdf"))
            #expect(
                !FileManager.default.fileExists(atPath: folder.appending(path: "default-month-1-year-2025.pdf").path))
        }
        await bank.stop()
    }
}
