import Foundation
import MockBank
import TestSupport
import Testing

@testable import ScriptCommands

/// `countersign script`, as a person or a build runs it.
@Suite("The commands for scripts")
struct ScriptCommandTests {
    private static let bank = Repository.file("BankScripts/DefaultBank")

    private func withFolder(_ files: [String: String], _ body: (URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(name)) }
        try await body(folder.url)
    }

    private static let head = "bank: x\nname: X\norigins: [https://x.example]\nsteps:\n"

    private static let flawed =
        head + "  - open: /login\n  - fill: { Password: hunter2 }\n  - follow: \"{{ mnth }}\"\n"
        + "  - press: { css: \"li:nth-child(2)\" }\n  - download: PDF\n"

    // MARK: Lint

    @Test("points at the exact word, with a caret and a hint")
    func lintText() async throws {
        try await withFolder(["x.yaml": Self.flawed]) { folder in
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
                    X, 5 steps, digest \(try await digest("x.yaml", in: folder)): 2 errors, 1 warning

                    """)
        }
    }

    private func digest(_ file: String, in folder: URL) async throws -> String {
        let output = try await CountersignProcess(["script", "lint", file], in: folder).run().output
        return String(try #require(output.firstMatch(of: /digest ([0-9a-f]{12})/)).1)
    }

    @Test("prints findings as JSON, and as annotations of a workflow run")
    func lintFormats() async throws {
        try await withFolder(["x.yaml": Self.flawed, "broken.yaml": Self.head + "  - opne: /\n"]) { folder in
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
        try await withFolder(["x.yaml": script]) { folder in
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
        try await withFolder(["good.yaml": rows, "bad.yaml": rows + "  - wrong-code: statement\n"]) { folder in
            let path = Self.bank.appending(path: Self.script).path
            let good = try await CountersignProcess(["script", "test", path, "--matrix", "good.yaml"], in: folder).run()
            #expect(good.status == 0, "\(good.errors)")
            #expect(good.output.contains("1 scenarios as expected"))

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
            (["x.yaml"], 2, "x.test.yaml cannot be read"),
            (["missing.yaml"], 2, "missing.yaml cannot be read"),
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
        try await withFolder(files) { folder in
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
        try await withFolder(["x.yaml": script, "login.json": "{}"]) { folder in
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
            (["month", "year=2025"], "“month” is not a parameter"),
        ])
    func parameters(given: [String], words: String) async throws {
        try await withFolder(["x.yaml": Self.head + "  - download: PDF\n", "login.json": "{}"]) { folder in
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
        try await withFolder(files) { folder in
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

    // MARK: A folder of scripts

    @Test("runs a script of a folder once it is accepted, by its digest without a terminal")
    func accepts() async throws {
        try await withFolder(["x.yaml": Self.head + "  - download: PDF\n"]) { folder in
            let home = ["COUNTERSIGN_HOME": folder.appending(path: "home").path]
            func run(_ arguments: String...) async throws -> CountersignProcess.Outcome {
                try await CountersignProcess(["script"] + arguments, environment: home, in: folder).run()
            }
            let listed = try await run("list", "--scripts", ".")
            #expect(listed.output.contains("x.yaml (X, digest"))
            #expect(listed.output.contains("has not been accepted"))
            let refused = try await run("lint", "x", "--scripts", ".")
            #expect(refused.status == 2)
            #expect(refused.errors.contains("countersign script accept"))

            #expect(try await run("accept", "x.yaml").status == 2)
            #expect(try await run("accept", "x.yaml", "--digest", "000000000000").status == 1)
            let accepted = try await run("accept", "x.yaml", "--digest", try await digest("x.yaml", in: folder))
            #expect(accepted.status == 0, "\(accepted.errors)")
            #expect(accepted.output.contains("https://x.example"))
            #expect(try await run("lint", "x", "--scripts", ".").status == 0)
            #expect(try await run("list", "--scripts", ".", "--json").output.contains(#""bank_id" : "x""#))
        }
    }

    @Test("shows where a changed script sends the password now, and refuses to hide a poll")
    func acceptsChange() async throws {
        let poll =
            "  - wait until: { json: $.ok, is: yes, polling: { POST: \"https://y.example/c\", body: { p: $password } }, within: 1 min }\n"
        let head = Self.head.replacing("[https://x.example]", with: "[https://x.example, https://y.example]")
        let files = ["x.yaml": Self.head + "  - download: PDF\n", "z.yaml": head + poll + "  - download: PDF\n"]
        try await withFolder(files) { folder in
            let home = ["COUNTERSIGN_HOME": folder.appending(path: "home").path]
            func run(_ arguments: String...) async throws -> CountersignProcess.Outcome {
                try await CountersignProcess(["script"] + arguments, environment: home, in: folder).run()
            }
            let first = try await run("accept", "x.yaml", "--digest", try await digest("x.yaml", in: folder))
            #expect(first.status == 0, "\(first.errors)")
            #expect(!first.output.contains("Changed since"))
            let second = try await run("accept", "z.yaml", "--digest", try await digest("z.yaml", in: folder))
            #expect(second.status == 0, "\(second.errors)")
            for words in [
                "What leaves, and where to",
                "  https://y.example\n    the password  POST https://y.example/c, again every 2 s",
                "Changed since", "  + origin https://y.example", "  +     body $.p: the password",
                "  + sends the password to https://y.example", "error: the password is sent again",
            ] { #expect(second.output.contains(words), "\(words)\n\(second.output)") }
        }
    }

    // MARK: The mock bank

    @Test("lists the mock bank's scenarios, and refuses unknown ones")
    func scenarios() async throws {
        let listed = try await CountersignProcess(["mockbank", "serve", "--list"]).run()
        #expect(listed.output.split(separator: "\n").count == Scenario.allCases.count)
        #expect(listed.output.contains("terms-to-accept"))
        #expect(try await CountersignProcess(["mockbank", "serve", "--scenario", "none"]).run().status == 2)
        #expect(try await CountersignProcess(["mockbank", "serve", "--scenario", "mixed-content"]).run().status == 2)
    }

    @Test("refuse a script that prints a page where no browser would print it")
    func printing() async throws {
        let script = """
            bank: x
            name: X
            origins: [https://x.example]
            engine: browser
            steps:
              - open: "/{{ year }}/{{ month }}"
              - expect: { titled: Statement }
              - download: { print: page }

            """
        try await withFolder(["x.yaml": script, "login.json": "{}", "visit.har": "{}"]) { folder in
            let parameters = ["--param", "month=1", "--param", "year=2026"]
            let run = try await CountersignProcess(
                ["script", "run", "x.yaml", "--engine", "html", "--credentials", "login.json"] + parameters, in: folder
            ).run()
            #expect(run.status == 2)
            #expect(
                run.errors.contains("prints a page, which only the browser can; leave out --engine html"), "\(run.all)")
            let replay = try await CountersignProcess(
                ["script", "replay", "x.yaml", "--har", "visit.har"] + parameters, in: folder
            ).run()
            #expect(replay.status == 2)
            #expect(replay.errors.contains("a recording has no browser to print it"), "\(replay.all)")
        }
    }

    @Test("say why a trace of a run in the browser cannot be replayed")
    func replayOfABrowserRun() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let har = """
            {"log": {"version": "1.2", "creator": {"name": "Countersign", "version": "1"}, "entries": [{
              "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
              "request": {"method": "GET", "url": "http://localhost:1/login", "headers": []},
              "response": {"status": 200, "headers": [], "content": {"size": 0, "mimeType": "text/html"}}
            }]}}
            """
        try Data(har.utf8).write(to: folder.appending("trace.har"))
        let run = try await CountersignProcess([
            "script", "replay", "default", "--at", "http://localhost:1", "--har", folder.appending("trace.har").path,
            "--param", "month=1", "--param", "year=2026",
        ]).run()
        #expect(run.status == 2)
        #expect(run.errors.contains("a trace of a run in the browser has only the heads of exchanges"), "\(run.all)")
    }

    @Test("say that a page made by JavaScript cannot be replayed, and where the script got to")
    func replayOfAnApp() async throws {
        let script = """
            bank: a
            name: A Bank
            origins: [http://localhost:1]
            testing: true
            engine: browser
            steps:
              - open: /welcome
              - follow: Sign in
              - fill: { Username: $username }
              - download: PDF

            """
        func entry(_ path: String, _ page: String) -> String {
            """
            {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
             "request": {"method": "GET", "url": "http://localhost:1\(path)", "headers": []},
             "response": {"status": 200, "headers": [{"name": "Content-Type", "value": "text/html"}],
              "content": {"size": 1, "mimeType": "text/html", "text": "\(page)"}}}
            """
        }
        let app =
            "<title>Bank</title><noscript>Please enable JavaScript.</noscript><div id=root></div><script src=/app.js></script>"
        let har = """
            {"log": {"version": "1.2", "creator": {"name": "a browser", "version": "1"}, "entries": [
            \(entry("/welcome", "<title>Bank</title><a href=/app>Sign in</a>")), \(entry("/app", app))]}}
            """
        try await withFolder(["x.yaml": script, "visit.har": har]) { folder in
            let run = try await CountersignProcess(
                ["script", "replay", "x.yaml", "--har", "visit.har", "--param", "month=1", "--param", "year=2026"],
                in: folder
            ).run()
            #expect(run.status == 1, "\(run.all)")
            #expect(run.errors.contains("javascript_required") && run.errors.contains("at x.yaml:9"), "\(run.all)")
            #expect(run.errors.contains("a page that JavaScript makes cannot be replayed"), "\(run.all)")
        }
    }
}
