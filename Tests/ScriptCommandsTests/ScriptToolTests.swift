import Encodings
import Foundation
import MockBank
import TestSupport
import Testing

/// The commands for writing and repairing scripts, as a person runs them.
@Suite("The script commands")
struct ScriptToolTests {
    private struct Desk: Sendable {
        let folder: URL
        let bank: String

        func file(_ name: String) -> URL { folder.appending(path: name) }

        func text(_ name: String) throws -> String { try String(contentsOf: file(name), encoding: .utf8) }

        func run(_ arguments: String..., typed: String? = nil) async throws -> CountersignProcess.Outcome {
            try await run(arguments, typed: typed)
        }

        func run(_ arguments: [String], typed: String? = nil) async throws -> CountersignProcess.Outcome {
            try await CountersignProcess(["script"] + arguments, typed: typed, in: folder).run()
        }
    }

    /// Runs `body` with a folder, a login and a mock bank.
    private func atDesk(_ scenario: Scenario = .happy, _ body: (Desk) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = temporary.url
        let login = #"{"username": "robin.ashdown", "password": "correct horse", "code": "123456"}"#
        try Data(login.utf8).write(to: folder.appending(path: "login.json"))
        var configuration = MockBankConfiguration()
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        configuration.scenario = scenario
        let bank = try await MockBankServer.start(configuration)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(Desk(folder: folder, bank: bank.url)))
        } catch {
            outcome = .failure(error)
        }
        await bank.stop()
        try outcome.get()
    }

    private static let january = ["--param", "month=1", "--param", "year=2026"]

    @Test("run names the credential that is missing and where it belongs, and signs out quietly")
    func refused() async throws {
        try await atDesk { desk in
            try Data(#"{"username": "robin.ashdown"}"#.utf8).write(to: desk.file("half.json"))
            let half = try await desk.run(
                ["run", "default", "--at", desk.bank, "--credentials", "half.json"] + Self.january)
            #expect(half.status == 1)
            #expect(
                half.errors.contains("no password is available for Meridian Savings; add it to the credentials file"))
            let login = #"{"username": "robin.ashdown", "password": "wrong", "code": "123456"}"#
            try Data(login.utf8).write(to: desk.file("wrong.json"))
            let wrong = try await desk.run(
                ["run", "default", "--at", desk.bank, "--credentials", "wrong.json"] + Self.january)
            #expect(wrong.status == 1)
            // Without a session there is nothing to sign out of.
            #expect(wrong.output.components(separatedBy: "✗").count == 2, "\(wrong.output)")
        }
    }

    @Test("run says which way of several matched when it was not the first")
    func changedPage() async throws {
        try await atDesk(.renamedButton) { desk in
            let script = Repository.file("BankScripts/DefaultBank/Variants/renamed-button.yaml")
            let run = try await desk.run(
                ["run", script.path, "--at", desk.bank, "--credentials", "login.json"] + Self.january)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.contains("! step 4: the page has changed: way 2 of 2 matched"), "\(run.output)")
        }
    }

    @Test("run records a visit without what was typed, and test runs against the recording")
    func recorded() async throws {
        try await atDesk { desk in
            let script = Repository.file("BankScripts/DefaultBank/meridian-savings.yaml")
            try FileManager.default.copyItem(at: script, to: desk.file("mine.yaml"))
            let line =
                ["run", "mine.yaml", "--at", desk.bank, "--credentials", "login.json", "--record", "visit.har"]
                + Self.january
            let run = try await desk.run(line)
            #expect(run.status == 0, "\(run.errors)")
            let recording = try desk.text("visit.har")
            let about = "names, addresses and the purposes of payments are not. Read it before you share it."
            #expect(run.output.contains(about), "\(run.output)")
            let attributes = try FileManager.default.attributesOfItem(atPath: desk.file("visit.har").path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            for secret in ["robin.ashdown", "correct horse", "correct+horse", "123456", "8836"] {
                #expect(!recording.has(wholeWord: secret), "\(secret)")
            }
            try FileManager.default.removeItem(at: desk.file("default-month-1-year-2026.pdf"))
            let again = try await desk.run(line)
            #expect(again.status == 2 && again.errors.contains("visit.har already exists"), "\(again.errors)")
            let browser = try await desk.run(line + ["--engine", "browser"])
            #expect(browser.status == 2 && browser.errors.contains("--record needs the HTML engine"))
            let matrix = """
                parameters: { month: 1, year: 2026 }
                scenarios:
                  - har: visit.har
                    expect: statement
                  - har: visit.har
                    name: another month
                    parameters: { month: 2 }
                    expect: statement
                """
            try Data(matrix.utf8).write(to: desk.file("mine.test.yaml"))
            let test = try await desk.run("test", "mine.yaml")
            #expect(test.status == 1, "\(test.output)\(test.errors)")
            #expect(test.output.contains("✓ visit.har      statement"), "\(test.output)")
            #expect(test.output.contains("part 3 of the path is “2026-01”, not “2026-02”"), "\(test.output)")
        }
    }

    @Test("run takes a choice, a date and a text, and refuses others before it contacts the bank")
    func typedParameters() async throws {
        let yaml = """
            bank: default
            name: Meridian Savings
            origins: [https://banking.meridian-savings.example]
            parameters:
              account: { choice: [Everyday Account, Rainy Day Savings] }
              day: { date: 2019-01-01..2030-12-31 }
              ending: { text: "[0-9]{4}" }
            steps:
              - open: /login
              - fill: { Username: $username, Password: $password }
              - press: Sign in
              - second factor: { field: One-time code, from: [person], within: 2 min }
              - expect: { shows: { row: "{{ ending }}" } }
              - follow: Statements
              - choose: { Account: "{{ account }}", Year: "{{ day | date: yyyy }}" }
              - press: Show
              - search: { rows: "{{ day | minus: 1 month | date: MMMM yyyy }}", next: Next, at most: 3 pages }
              - download: PDF
            """
        try await atDesk { desk in
            try Data(yaml.utf8).write(to: desk.file("typed.yaml"))
            func run(_ account: String, _ day: String, _ ending: String) async throws -> CountersignProcess.Outcome {
                try await desk.run([
                    "run", "typed.yaml", "--at", desk.bank, "--credentials", "login.json", "--json",
                    "--param", "account=\(account)", "--param", "day=\(day)", "--param", "ending=\(ending)",
                ])
            }
            let good = try await run("Rainy Day Savings", "2026-03-31", "9914")
            #expect(good.status == 0, "\(good.output)\(good.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: desk.folder.path)
            let document = try #require(names.first { $0.hasSuffix(".pdf") })
            let bytes = try Data(contentsOf: desk.file(document))
            // The statement of February, for the day in March minus a month.
            #expect(bytes == Data(MockBankServer.statement(account: "savings", month: 2, year: 2026)))
            for (account, day, ending, words) in [
                ("Current", "2026-03-31", "9914", "Everyday Account"),
                ("Everyday Account", "2031-01-01", "9914", "2030-12-31"),
                ("Everyday Account", "2026-03-31", "99", "ending"),
            ] {
                let refused = try await run(account, day, ending)
                #expect(refused.status == 2)
                #expect(refused.errors.contains(words), "\(refused.errors)")
            }
        }
    }

    @Test("run fetches several months, names the one that is missing, and refuses what makes no sense")
    func months() async throws {
        try await atDesk { desk in
            func run(_ options: [String]) async throws -> CountersignProcess.Outcome {
                try await desk.run(["run", "default", "--at", desk.bank, "--credentials", "login.json"] + options)
            }
            let good = try await run(["--from", "2025-11", "--to", "2026-01"])
            #expect(good.status == 0, "\(good.errors)")
            let names = ["default-month-11-year-2025", "default-month-12-year-2025", "default-month-1-year-2026"]
            for name in names {
                let file = desk.folder.appending(path: "\(name).pdf")
                #expect(try Data(contentsOf: file).starts(with: Data("%PDF-".utf8)))
            }
            #expect(good.output.components(separatedBy: "press button “Sign in”").count == 2, "it signs in once")
            // The newest statement of this bank is for October 2026.
            let late = try await run(["--from", "2026-10", "--to", "2026-11", "--json"])
            #expect(late.status == 1)
            #expect(late.output.contains(#""event":"document""#))
            #expect(late.errors.contains("1 of 2 months have no document: 2026-11"))
            for (options, words) in [
                (["--from", "2025-11", "--to", "2025-12"], "already exists"),
                (["--from", "2025-12", "--to", "2025-11"], "the older month first"),
                (["--from", "2025-01"], "give both --from and --to"),
                (["--from", "2025-01", "--to", "2025-02", "--param", "month=1"], "leave out --param month"),
                (["--from", "2025-01", "--to", "2025-02", "--until", "3"], "follow one month"),
                (["--from", "1990-01", "--to", "2025-02"], "more than 120"),
            ] {
                let refused = try await run(options)
                #expect(refused.status == 2)
                #expect(refused.errors.contains(words), "\(refused.errors)")
            }
        }
    }

    @Test("new writes a template that lints clean, and overwrites nothing")
    func template() async throws {
        try await atDesk { desk in
            #expect(try await desk.run("new", "--output", "my.yaml").status == 0)
            #expect(try await desk.run("lint", "my.yaml", "--strict").output.contains("clean"))
            let again = try await desk.run("new", "--output", "my.yaml")
            #expect(again.status == 2)
            #expect(again.errors.contains("my.yaml exists already"))
        }
    }

    @Test("run writes a trace, which new, replay and survey can read")
    func roundTrip() async throws {
        try await atDesk { desk in
            let run = try await desk.run(
                "run", "default", "--at", desk.bank, "--credentials", "login.json", "--param", "month=1", "--param",
                "year=2026", "--trace", "trace", "--curl", "--dry-run")
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.contains("--data-urlencode \"password=$PASSWORD\""))
            #expect(run.output.contains("Trace: "))
            for word in ["robin.ashdown", "correct horse", "correct+horse", "123456"] {
                #expect(!run.output.contains(word), "\(word)")
                for name in ["trace.html", "trace.har", "trace.jsonl"] {
                    #expect(!(try desk.text("trace/\(name)")).contains(word), "\(word) in \(name)")
                }
            }
            #expect(try await desk.run("new", "--from-har", "trace/trace.har", "--output", "my.yaml").status == 0)
            // No recording of a right password shows what a wrong one brings.
            let lint = try await desk.run("lint", "my.yaml")
            #expect(lint.status == 0 && (lint.output + lint.errors).contains("[no-refusal]"), "\(lint)")
            let replay = try await desk.run(
                "replay", "my.yaml", "--har", "trace/trace.har", "--param", "month=1", "--param", "year=2026")
            #expect(replay.status == 0, "\(replay.errors)")
            #expect(replay.output.contains("The script matches the recording"))
            let other = try await desk.run(
                "replay", "my.yaml", "--har", "trace/trace.har", "--param", "month=1", "--param", "year=2025")
            #expect(other.status == 1)
            #expect(other.errors.contains("year is “2026”, not “2025”"), "\(other.errors)")

            let refused = try await desk.run("survey", "--har", "trace/trace.har", "--all", typed: "n\n")
            #expect(refused.status == 1 && refused.output.contains("Nothing was written."))
            #expect(!FileManager.default.fileExists(atPath: desk.file("survey.txt").path))
            let survey = try await desk.run("survey", "--har", "trace/trace.har", typed: "\nn\na\n")
            #expect(survey.status == 0, "\(survey.errors)")
            let lines = try desk.text("survey.txt").split(separator: "\n")
            #expect(lines.count > 20)
            #expect(!lines.contains { $0.hasPrefix("page \"Sign in") }, "the second answer leaves the page's line out")
            #expect(try await desk.run("new", "--from-survey", "survey.txt").status == 0)
        }
    }

    @Test("export writes a file for Chrome's Recorder, which new reads back as the same script")
    func recorder() async throws {
        try await atDesk { desk in
            let export = try await desk.run("export", "default", "--output", "steps.json")
            #expect(export.status == 0, "\(export.errors)")
            #expect(
                export.output
                    == "Wrote steps.json: 8 of 12 steps are the Recorder's own; every other one is a custom step.\n")
            #expect(try await desk.run("export", "default", "--output", "steps.json").status == 2)
            let new = try await desk.run("new", "--from", "steps.json", "--output", "again.yaml")
            #expect(new.status == 0, "\(new.errors)")
            #expect(new.output.contains("Lint finds no error. The draft was not replayed"), "\(new.output)")
            let digests = try await [desk.run("lint", "default"), desk.run("lint", "again.yaml")].map {
                $0.output.firstMatch(of: /digest ([0-9a-f]+)/).map { String($0.1) }
            }
            #expect(digests[0] != nil && digests[0] == digests[1], "\(digests)")
        }
    }

    @Test("new knows a file by its content, and says what is wrong with it")
    func kinds() async throws {
        try await atDesk { desk in
            let side =
                #"{ "url": "https://b.example", "tests": [{ "name": "T", "commands": [{ "command": "open", "target": "/" }] }] }"#
            let broken = #"{ "steps": [{ "type": "click" }] }"#
            for (name, text, status, words) in [
                ("bank.side", side, Int32(0), "Drafted from a recording of Selenium IDE."),
                ("broken.json", broken, 2, "broken.json: step 1 (click): it has no “selectors”"),
                ("other.json", "{}", 2, "other.json: the file is JSON, but not an HTTP Archive"),
                ("notes.txt", "Dear bank", 1, "notes.txt: the file is neither a HAR file, nor a recording"),
                ("survey.txt", "countersign-survey version=1\n", 1, "survey.txt: the survey has no page"),
            ] {
                try Data(text.utf8).write(to: desk.file(name))
                let new = try await desk.run("new", "--from", name)
                #expect(new.status == status, "\(name): \(new.errors)")
                #expect((new.output + new.errors).contains(words), "\(name): \(new.output) \(new.errors)")
            }
        }
    }

    @Test("shell reads lines from a pipe, and ends at the first one that fails")
    func shell() async throws {
        try await atDesk { desk in
            let done = try await desk.run(
                "shell", desk.bank + "/login", "--credentials", "login.json",
                typed: "fill Username with $username\nfill Password with $password\npress Sign in\nsteps\n")
            #expect(done.status == 0, "\(done.errors)")
            #expect(done.output.contains("  - fill: { Username: $username, Password: $password }\n  - press: Sign in"))
            #expect(!done.output.contains("robin.ashdown"))
            let failed = try await desk.run("shell", desk.bank + "/login", typed: "press Nowhere\nsteps\n")
            #expect(failed.status == 1)
            #expect(failed.errors.contains("the shell stopped at: press Nowhere"))
            #expect(!failed.output.contains("steps:"))
            #expect(try await desk.run("shell", "nowhere").status == 2)
            let script = "bank: mine\nname: Mine\norigins: [\(desk.bank)]\ntesting: true\nsteps:\n  - open: /login\n"
            try Data(script.utf8).write(to: desk.file("mine.yaml"))
            let opened = try await desk.run("shell", "mine.yaml", typed: "page\nsteps\n")
            #expect(opened.status == 0, "\(opened.errors)")
            #expect(opened.output.contains("field Username") && opened.output.contains("  - open: /login"))
        }
    }

    @Test("run stops at --until, and opens the shell at --pause-at")
    func stops() async throws {
        try await atDesk { desk in
            func run(_ option: String, _ value: String, typed: String? = nil) async throws -> CountersignProcess.Outcome
            {
                try await desk.run(
                    "run", "default", "--at", desk.bank, "--credentials", "login.json", "--param", "month=1", "--param",
                    "year=2026", "--dry-run", option, value, typed: typed)
            }
            let until = try await run("--until", "6")
            #expect(until.status == 0, "\(until.errors)")
            #expect(until.output.contains("Stopped as requested."))
            #expect(!until.output.contains("follow link"))
            let pause = try await run("--pause-at", "follow", typed: "select link Statements\ncontinue\n")
            #expect(pause.status == 0, "\(pause.errors)")
            #expect(pause.output.contains("1 found by: link “Statements”"))
            #expect(pause.output.contains("Dry run: would keep"))
            let quit = try await run("--pause-at", "8", typed: "quit\n")
            #expect(quit.status == 0)
            #expect(!quit.output.contains("Dry run: would keep"))
            let never = try await run("--until", "dance")
            #expect(never.status == 2)
            #expect(never.errors.contains("no step matches “dance”"))
            #expect(never.errors.contains("press button “Sign in”"))
            #expect(never.output.isEmpty, "the bank was contacted: \(never.output)")
            let late = try await run("--pause-at", "99")
            #expect(late.status == 2)
            let file = desk.folder.appending(path: "default-month-1-year-2026.pdf")
            try Data("an earlier statement".utf8).write(to: file)
            let taken = try await desk.run(
                "run", "default", "--at", desk.bank, "--credentials", "login.json", "--param", "month=1", "--param",
                "year=2026")
            #expect(taken.status == 2)
            #expect(taken.errors.contains("already exists"))
            #expect(taken.output.isEmpty, "the bank was contacted: \(taken.output)")
        }
    }

    @Test("schema prints JSON, and wrong uses are reported")
    func schema() async throws {
        try await atDesk { desk in
            let schema = try await desk.run("schema")
            #expect(try JSONReader.read(schema.output)["title"] == "Countersign bank script")
            for (arguments, words) in [
                (["survey"], "name a script to run, or a recording"),
                (["survey", "--har", "nothing.har"], "does not exist"),
                (["new", "--from-har", "login.json"], "no log.entries"),
                (["new", "--from-har", "a", "--from-survey", "b"], "not from both"),
                (["new", "--from-survey", "login.json"], "the file is not a survey"),
                (
                    [
                        "run", "default", "--unmasked", "--trace", "t", "--credentials", "login.json", "--param",
                        "month=1",
                        "--param", "year=2026",
                    ], "--unmasked is only for a mock bank"
                ),
            ] {
                let outcome = try await CountersignProcess(["script"] + arguments, in: desk.folder).run()
                #expect(outcome.status != 0)
                #expect(outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
            }
        }
    }
}
