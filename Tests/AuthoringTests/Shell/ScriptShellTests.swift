import Automation
import BankScript
import DefaultBank
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import MockBank
import Secrets
import Synchronization
import TestCases
import Testing

@testable import Authoring

@Suite("The shell on a live session, and breakpoints in a run")
struct ScriptShellTests {
    private func withBank(_ body: (MockBankServer) async throws -> Void) async throws {
        var configuration = MockBankConfiguration()
        configuration.today = RecordedRun.today
        let bank = try await MockBankServer.start(configuration)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(bank)) } catch { outcome = .failure(error) }
        await bank.stop()
        try outcome.get()
    }

    private var services: HostServices {
        HostServices(
            credentials: TestCredentials(values: RecordedRun.login), person: TestPerson(code: "123456"),
            downloads: FolderSink(FileManager.default.temporaryDirectory))
    }

    private func shell(_ bank: MockBankServer) throws -> (ScriptShell, HTMLNavigationEngine) {
        let script = BankScript(id: "shell", name: "shell", origins: [bank.url], isForTesting: true, steps: [])
        let engine = try HTMLNavigationEngine(for: script)
        return (ScriptShell(script, parameters: RecordedRun.period, engine: engine, services: services), engine)
    }

    @Test("performs lines in short words or YAML, and prints them as steps")
    func session() async throws {
        try await withBank { bank in
            let (shell, engine) = try shell(bank)
            for line in [
                "open /login", "fill Username with $username", "fill: { Password: $password }", "press Sign in",
                "second factor: { field: One-time code, within: 1 min }", "follow Statements",
                "choose {{ year }} in Year", "press Show",
                "search: { rows: '{{ month.name }} {{ year }}', next: Next, at most: 12 pages }",
            ] {
                let reply = await shell.perform(line)
                #expect(!reply.isFailure, "\(line): \(reply.lines)")
            }
            let download = await shell.perform("download PDF")
            #expect(download.lines.first?.contains("SHA-256") == true)
            if let path = download.lines.first?.split(separator: " ").last {
                try FileManager.default.removeItem(atPath: String(path))
            }
            #expect(
                await shell.stepLines == [
                    "steps:", "  - open: /login", "  - fill: { Username: $username, Password: $password }",
                    "  - press: Sign in",
                    "  - second factor: { field: One-time code, from: [vault, person], within: 1 min }",
                    "  - follow: Statements", "  - choose: { Year: \"{{ year }}\" }", "  - press: Show",
                    "  - search: { rows: \"{{ month.name }} {{ year }}\", next: Next, at most: 12 pages }",
                    "  - download: PDF",
                ])
            await engine.close()
        }
    }

    @Test("counts and shows matches, lists the page, goes back and forgets steps")
    func looking() async throws {
        try await withBank { bank in
            let (shell, engine) = try shell(bank)
            #expect(await shell.perform("page").lines == ["no page is open yet; open one first"])
            _ = await shell.perform("open /login")
            #expect(
                await shell.perform("select field Username").lines
                    == ["1 found by: field “Username”", "  1  <input> ▸Username◂"])
            #expect(await shell.perform("select input").lines.first == "3 found by: css “input”")
            #expect(await shell.perform("select link Nowhere").lines.contains { $0.contains("nearest: <a>") })
            #expect(await shell.perform("select [").isFailure)
            let page = await shell.perform("page").lines
            #expect(page.contains("  field Password  (password)"))
            #expect(page.contains("  button Sign in"))
            _ = await shell.perform("follow Meridian Savings")
            let back = await shell.perform("back")
            #expect(back.lines.last == "forgotten: follow link “Meridian Savings”")
            #expect(await shell.stepLines == ["steps:", "  - open: /login"])
            _ = await shell.perform("undo")
            #expect(await shell.stepLines == ["no steps yet"])
            await engine.close()
        }
    }

    private static let statements = """
        <title>Statements</title><h1>Your statements</h1><p>Last sign-in: yesterday</p>
        <table><tr><th>Month<th>Document</tr>
        <tr><td>May 2026<td><a href=/5>PDF</a><tr><td>April 2026<td><a href=/4>PDF</a></table>
        <form><label>Year <select name=year><option>2026<option>2025</select></label><label>Note <input name=note></label>
        <button>Show</button></form><a href=/out>Sign out</a><a id=help href=/h>Help</a><a href=/h2>Help</a>
        """

    @Test("lists texts, fields, rows, tables and links, each with a locator that finds it alone")
    func listing() throws {
        let document = try Document.parse(
            Array(Self.statements.utf8), contentType: "text/html", url: "https://b.example/")
        let lines = PageListing(document).lines
        #expect(
            lines == [
                "  heading Your statements", "  text Last sign-in: yesterday",
                "  field Year  (select: 2026, 2025)", "  field Note  (text)", "  button Show",
                "  columns: cell Month, cell Document", "  row May 2026  ({ link: PDF, in: May 2026 PDF })",
                "  row April 2026  ({ link: PDF, in: April 2026 PDF })", "  link Sign out", "  #help",
                "  { link: Help, nth: 2 }",
            ], "\(lines)")
        for line in lines where !line.contains("columns") {
            let pasted = line.dropFirst(2).split(separator: "  (").first.map(String.init) ?? ""
            guard case .select(let locator) = try ShellCommand("select \(pasted)") else {
                Issue.record("“\(pasted)” does not read as a locator")
                continue
            }
            #expect(try document.elements(locator).count == 1, "\(pasted)")
        }
    }

    @Test("lists pictures, controls outside of forms, and what has no name, with a css that finds it alone")
    func nameless() throws {
        let html = """
            <h1>Sign in</h1><div id=pad><p><img alt=4 src=a><img alt=7 src=b></p><img src=c><img src=d></div>
            <div><button><svg></svg></button><button></button><label>Code <input></label></div>
            <form><input><input></form><table><tr><td>Memorable word:<td><input id=w></table>
            """
        let document = try Document.parse(Array(html.utf8), contentType: "text/html", url: "https://b.example/")
        let lines = PageListing(document).lines
        #expect(!lines.contains { $0.contains("which no locator finds alone") }, "\(lines)")
        for part in [
            "css img[alt='4']", "css #pad > img:nth-of-type(2)  (picture)", "field Memorable word",
            "field Code  (text)",
            "button:nth-of-type(2)",
            "form > input:nth-of-type(1)  (text)",
        ] where !lines.contains(where: { $0.contains(part) || $0.contains(part.replacing("css ", with: "")) }) {
            Issue.record("\(part) is not in \(lines)")
        }
        for line in lines {
            let pasted = line.dropFirst(2).split(separator: "  (").first.map(String.init) ?? ""
            guard case .select(let locator) = try ShellCommand("select \(pasted)") else { continue }
            #expect(try document.elements(locator).count == 1, "\(pasted)")
        }
    }

    @Test("shows what a JSON answer has, and what a JSONPath finds in it")
    func json() async throws {
        var configuration = MockBankConfiguration()
        configuration.scenario = .jsonBank
        configuration.today = RecordedRun.today
        let bank = try await MockBankServer.start(configuration)
        let (shell, engine) = try shell(bank)
        #expect(await shell.perform("select $.a").lines == ["no request was answered with JSON yet; make one first"])
        let request =
            "request: { POST: /api/session, body: { username: $username, password: $password }, expecting: 200..499 }"
        let reply = await shell.perform(request)
        #expect(!reply.isFailure, "\(reply.lines)")
        let listing = await shell.perform("page").lines
        #expect(listing.contains { $0.contains("$.") }, "\(listing)")
        let page = await shell.perform("select $").lines
        #expect(page.first == "1 found by: $")
        let none = await shell.perform("select $.nowhere").lines
        #expect(none.first == "0 found by: $.nowhere" && none.contains { $0.hasPrefix("  there is: $.") }, "\(none)")
        #expect(await shell.perform("select $.[").isFailure)
        await engine.close()
        await bank.stop()
    }

    @Test(
        "keeps no line that has a typed value, or that it does not understand",
        arguments: [
            ("press Sign in", true), ("fill Username with $username", true), ("fill Year with {{ year }}", true),
            ("fill PIN with 4711", false), ("fill: { PIN: geheim }", false), ("geheim", false), ("page", true),
            ("select $.items[*].id", true), ("submit: { form: '#f', with: { pin: geheim } }", false),
        ])
    func keeps(line: String, isKept: Bool) {
        #expect(ScriptShell.mayKeep(line) == isKept)
    }

    @Test(
        "explains by which rule a locator finds what, and what it nearly finds",
        arguments: [
            (
                "link PDF",
                [
                    "1 found by: link “PDF”", "  ✓ <a> “PDF”: the same text",
                    "  ✗ <a> “PDF overview”: the text is a part of it, but another element has the text whole",
                ]
            ),
            (
                "field username",
                ["  ✓ <input> “Username:”: the same text; a colon or an asterisk at the end does not count"]
            ),
            ("button go", ["  ✓ <button> “Go”: the same text; upper and lower case do not count"]),
            (
                "{ button: { exact: go } }",
                ["0 found by: button exactly “go”", "  ✗ <button> “Go”: “exact” wants the same text, in the same case"]
            ),
            (
                "link May 2026",
                [
                    "1 found by: link “May 2026”",
                    "  ✓ <a> “Statement May 2026”: the text is a part of it, and no element has it whole",
                    "  ✗ <a> “Statement May 20265”: the text is there only inside a longer number",
                ]
            ),
            ("link May Statement", ["  ✗ <a> “Statement May 2026”: its words are there, but not next to each other"]),
            (
                "{ link: Statement, containing: 20265 }",
                [
                    "  ✓ <a> “Statement May 20265”: the text is a part of it, and no element has it whole",
                    "  ✗ <a> “Statement May 2026”: it does not contain",
                ]
            ),
            (
                "{ link: { regex: '^Stat' }, nth: 1 }",
                ["1 found by:", "  ✓ <a> “Statement May 2026”: the regular expression matches"]
            ),
            (".x", ["1 found by: css “.x”", "  ✓ <p> “here”: the selector matches"]),
            ("link Nowhere", ["0 found by: link “Nowhere”", "  nearest: <a>"]),
            ("[", ["“[”"]),
        ])
    func explains(locator: String, expected: [String]) throws {
        let page = """
            <title>T</title><form><label>Username: <input name=u></label><button>Go</button></form>
            <a href=/1>PDF</a> <a href=/2>PDF overview</a> <a href=/3>Statement May 2026</a>
            <a href=/4>Statement May 20265</a><p class=x>here</p>
            """
        let document = try Document.parse(
            Array(page.utf8), contentType: "text/html; charset=utf-8", url: "https://bank.example/")
        guard case .explain(let locator) = try ShellCommand("explain " + locator) else {
            Issue.record("not read as explain")
            return
        }
        var lines: [String] = []
        do throws(LocatorError) {
            lines = try ScriptShell.explanation(of: locator, in: document)
        } catch {
            lines = [error.message]
        }
        for line in expected { #expect(lines.contains { $0.hasPrefix(line) }, "\(lines.joined(separator: "\n"))") }
    }

    @Test("explains on the open page")
    func explainsLive() async throws {
        try await withBank { bank in
            let (shell, engine) = try shell(bank)
            #expect(await shell.perform("explain link Next").lines == ["no page is open yet; open one first"])
            _ = await shell.perform("open /login")
            #expect(
                await shell.perform("explain button sign in").lines == [
                    "1 found by: button “sign in”",
                    "  ✓ <button> “Sign in”: the same text; upper and lower case do not count",
                ])
            #expect(await shell.perform("explain").lines.joined().contains("explain needs a locator"))
            await engine.close()
        }
    }

    @Test(
        "reports lines that it cannot read or perform",
        arguments: [
            ("dance", "“dance” needs an argument"), ("opne /login", "did you mean “open”?"),
            ("press", "needs an argument"),
            ("press Nowhere", "nothing is found by: button “Nowhere”"), ("select", "needs a locator"),
            ("open https://elsewhere.example/", "Nothing was sent to https://elsewhere.example"),
        ])
    func complains(line: String, words: String) async throws {
        try await withBank { bank in
            let (shell, engine) = try shell(bank)
            _ = await shell.perform("open /login")
            let reply = await shell.perform(line)
            #expect(reply.isFailure)
            #expect(reply.lines.joined(separator: " ").contains(words), "\(reply.lines)")
            await engine.close()
        }
    }

    // MARK: Stopping

    private func run(_ bank: MockBankServer, _ stops: StepBreakpoints) async throws -> (
        steps: [String], failure: RunFailure?
    ) {
        let steps = StepLog()
        var services = services
        services.observer = steps
        services.gate = stops
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0) }
        do throws(RunFailure) {
            let script = MeridianSavings.script.served(at: bank.url, isForTesting: true)
            let document = try await runner.run(script, parameters: RecordedRun.period)
            try? FileManager.default.removeItem(at: document.file)
            return (steps.words, nil)
        } catch {
            return (steps.words, error)
        }
    }

    @Test(
        "a run stops after the named step, by number or words, and still signs out",
        arguments: ["7", "follow link"])
    func until(name: String) async throws {
        try await withBank { bank in
            let stops = StepBreakpoints(after: StepName(name))
            let (steps, failure) = try await run(bank, stops)
            #expect(stops.hasStopped)
            #expect(failure?.reason == .cancelled)
            #expect(steps.suffix(2) == ["✓ follow link “Statements”", "✓ press button “Sign out”"])
        }
    }

    @Test(
        "a run pauses before the named step, on the open page, and continues or ends",
        arguments: [true, false])
    func pause(isEnded: Bool) async throws {
        try await withBank { bank in
            let titles = Mutex<[String]>([])
            let stops = StepBreakpoints(pausingAt: StepName("follow")) { place, engine in
                let title = await engine.page()?.title ?? ""
                titles.withLock { $0.append("\(place.number) \(title)") }
                if isEnded { throw RunStopped() }
            }
            let (steps, failure) = try await run(bank, stops)
            #expect(titles.withLock { $0 } == ["7 Accounts – Meridian Savings"])
            #expect(stops.hasPaused)
            #expect(stops.hasStopped == isEnded)
            #expect((failure == nil) != isEnded)
            #expect(steps.contains("✓ follow link “Statements”") != isEnded)
        }
    }
}
