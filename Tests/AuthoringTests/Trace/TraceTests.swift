import BankScript
import DefaultBank
import Encodings
import Foundation
import HTMLAutomation
import Secrets
import Selectors
import TestCases
import TestSupport
import Testing

@testable import Authoring
@testable import Automation

@Suite("The trace of a run")
struct TraceTests {
    private static let personal = [
        "robin.ashdown", "correct horse", "correct+horse", "123456", "2071", "8836", "9914",
    ]

    @Test("keeps steps, pages with matches, exchanges and times, and no personal data")
    func whole() async throws {
        let run = try await RecordedRun.make()
        _ = try run.outcome.get()
        let record = run.recorder.record
        #expect(record.steps.count == 14)
        #expect(record.steps.map(\.place.number) == record.steps.map(\.place.number).sorted())
        #expect(record.failure == nil)
        let press = try #require(record.steps.first { $0.place.words == "press button “Sign in”" })
        #expect(press.acted?.matches == 1)
        #expect(press.acted?.html.contains("<button data-countersign-match") == true)
        #expect(press.arrived?.title == "One-time code – Meridian Savings")
        #expect(press.traffic.map { "\($0.exchange.method) \($0.exchange.status)" } == ["POST 303", "GET 200"])
        let search = try #require(record.steps.first { $0.place.words.hasPrefix("search for row") })
        #expect(search.acted?.html.contains("<tr data-countersign-match") == true)
        for text in [run.trace.html, run.trace.jsonLines, run.trace.archive.json.compactText()] {
            for word in Self.personal { #expect(!text.has(wholeWord: word), "\(word)") }
        }
    }

    @Test("shows filled-in values, secrets as dots")
    func filled() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: MeridianSavings.origin) {
            Open("/login")
            Fill("Username", with: "another person")
            Fill("Password", with: .password)
            Press("Sign in")
            Fail(.bankLoginFailed, when: ".notice--error")
            Download("PDF")
        }
        let steps = try await RecordedRun.make(script).recorder.record.steps
        let page = try #require(steps[3].acted?.html)
        #expect(
            page.contains(#"autocomplete="username" required="" value="•••""#),
            "a name that a login asks for is a secret")
        #expect(page.contains(#"type="password" autocomplete="current-password" required="" value="•••""#))
        let run = try await RecordedRun.make()
        let show = try #require(
            run.recorder.record.steps.first { $0.place.words == "press button “Show”" }?.acted?.html)
        #expect(show.contains(#"<option selected="">2026</option>"#))
    }

    @Test("shows JSON answers, masked")
    func json() throws {
        let answer: JSONValue = ["accounts": [["iban": "DE89370400440532013000", "year": 2026]], "token": "abc"]
        #expect(
            Mask().json(answer).indentedText() == """
                {
                  "accounts": [
                    {
                      "iban": "•••",
                      "year": 2026
                    }
                  ],
                  "token": "•••"
                }
                """)
    }

    @Test(
        "shows a bank's hidden characters as escapes, in the page and in the lines, and leaves its page in the frame as it is"
    )
    func hiddenCharacters() throws {
        let (hidden, escaped) = ("pay\u{202E}fdp\u{200B}.", "pay\\u202efdp\\u200b.")
        var step = TraceRecord.Step(place: StepPlace(number: 1, words: "press “\(hidden)”"), offset: .zero)
        step.arrived = .init(
            url: "https://bank.example/\(hidden)", title: hidden, status: 200, html: hidden, matches: 0)
        step.captures = [.init(name: "heading", text: hidden)]
        step.notes = [hidden]
        step.outcome = .failed(RunFailure(.navigationFailed, message: hidden, candidates: [hidden]))
        let record = TraceRecord(
            scriptName: hidden, scriptDigest: "0", startedAt: Date(timeIntervalSince1970: 0), steps: [step],
            keepsDigits: false)
        let html = TraceReport(record).html
        let frames = /srcdoc="[^"]*"/
        #expect(html.firstMatch(of: frames)?.output.contains(hidden) == true)
        let outside = html.replacing(frames, with: "")
        #expect(!outside.unicodeScalars.contains("\u{202E}") && !outside.unicodeScalars.contains("\u{200B}"))
        #expect(outside.ranges(of: escaped).count > 4, "\(outside)")
        let script = BankScript("x", named: hidden, at: "https://bank.example") { Open("/") }
        let lines = Trace(TraceRecorder(script)).jsonLines
        #expect(!lines.unicodeScalars.contains("\u{202E}") && lines.contains(escaped))
        #expect(try JSONReader.read(Array(lines.utf8.prefix { $0 != 10 }))["script"]?.stringValue == hidden)
    }

    @Test("loads nothing, and runs only its own script")
    func contained() async throws {
        let html = try await RecordedRun.make().trace.html
        #expect(html.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"))
        #expect(html.components(separatedBy: "<script").count == 2)
        for address in ["src=\"", "href=\"http", "@import", "url("] {
            #expect(!html.contains(" " + address), "\(address)")
        }
        #expect(html.components(separatedBy: "sandbox=\"allow-same-origin\"").count > 5)
    }

    @Test("shows the failed step and the page's candidates")
    func failed() async throws {
        var script = MeridianSavings.script
        script.steps[2].action = .press(.button("Log in"))
        let run = try await RecordedRun.make(script)
        let failure = try #require(run.recorder.record.failure)
        #expect(failure.reason == .layoutChanged)
        #expect(run.trace.html.contains("class=\"failed first\""))
        #expect(run.trace.html.contains("Where it looked, without success"))
        #expect(run.trace.html.contains("found by: button “Sign in”"))
    }

    @Test("shows digits when asked to, and never secrets")
    func unmasked() async throws {
        let html = try await RecordedRun.make(mask: Mask(keepsDigits: true)).trace.html
        #expect(html.contains("40 2071 8836"))
        for word in ["robin.ashdown", "correct horse", "123456"] { #expect(!html.contains(word), "\(word)") }
    }

    @Test("shows captures, secret ones as dots")
    func captures() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: MeridianSavings.origin) {
            Open("/login")
            Capture("heading", from: .text(.heading("Sign in")))
            Capture("token", from: .attribute("value", of: .css("[name=_csrf]")), isSecret: true)
            Download("PDF")
        }
        let steps = try await RecordedRun.make(script).recorder.record.steps
        #expect(steps[1].captures == [.init(name: "heading", text: "Sign in to online banking")])
        #expect(steps[2].captures == [.init(name: "token", text: "•••")])
    }

    @Test("shows the script beside each step, without secrets that are alive")
    func source() async throws {
        let run = try await RecordedRun.make()
        #expect(!run.trace.html.contains("<pre class=\"source\""), "a script that is compiled in has no lines")
        let word = Secret("wicker-lantern-forty")
        let recorder = TraceRecorder(
            MeridianSavings.script, source: "bank: default\nsteps:\n  - open: /login\n  - press: wicker-lantern-forty\n"
        )
        let place = StepPlace(
            number: 1, depth: 0, isFinally: false, words: "open /login",
            mark: Mark(file: "savings.yaml", line: 3, column: 5))
        recorder.observe(.began(script: MeridianSavings.script.digest, steps: 1))
        recorder.observe(.stepBegan(place))
        recorder.observe(.stepEnded(place, .milliseconds(5)))
        let html = Trace(recorder).html
        #expect(html.contains("<span class=\"here\"><i>3</i>  - open: /login\n</span>"), "\(html)")
        #expect(html.contains("<span><i>1</i>bank: default\n</span>"))
        #expect(!html.contains("wicker-lantern-forty"))
        withExtendedLifetime(word) {}
    }

    @Test("shows what a page wrote to the console, masked, and not without end")
    func console() throws {
        let word = Secret("wicker-lantern-fifty")
        let recorder = TraceRecorder(MeridianSavings.script)
        let place = StepPlace(number: 1, depth: 0, isFinally: false, words: "open /login")
        recorder.observe(.began(script: MeridianSavings.script.digest, steps: 1))
        recorder.observe(.stepBegan(place))
        recorder.record(
            ConsoleMessage(
                level: .error, text: "no balance for 40 2071 8836: wicker-lantern-fifty",
                place: "https://bank.example/app.js?token=abc:12"))
        for number in 0..<100 { recorder.record(ConsoleMessage(level: .warning, text: "again \(number % 10)")) }
        recorder.observe(.stepEnded(place, .milliseconds(5)))
        let trace = Trace(recorder)
        #expect(recorder.record.steps[0].console.count == TraceRecord.mostMessages)
        for text in [trace.html, trace.jsonLines] {
            #expect(text.contains("no balance for •• •••• ••••: •••"))
            #expect(!text.contains("token=abc") && !text.contains("wicker-lantern-fifty"))
        }
        #expect(trace.html.contains("<li class=\"error\"><b>error</b> no balance"))
        withExtendedLifetime(word) {}
    }

    @Test("holds a picture once, where its page is, and no redaction of a short secret breaks it")
    func pictures() throws {
        // “QUJDREVG” is in the base64 of “ABCDEF”.
        let word = Secret("QUJDREVG")
        let recorder = TraceRecorder(MeridianSavings.script)
        let place = StepPlace(number: 1, depth: 0, isFinally: false, words: "open /login")
        recorder.observe(.began(script: MeridianSavings.script.digest, steps: 1))
        recorder.observe(.stepBegan(place))
        recorder.arrived(at: DrawnPage())
        recorder.observe(.stepEnded(place, .milliseconds(5)))
        let html = Trace(recorder).html
        #expect(html.components(separatedBy: "src=\"data:image/webp;base64,QUJDREVG\"").count == 2)
        #expect(html.contains("<b style=\"left:25%;top:12.5%;width:50%;height:3.33%\"></b>"))
        #expect(html.contains("img-src data:; "))
        withExtendedLifetime(word) {}
    }

    @Test("is readable for its owner only")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let page = try await RecordedRun.make().trace.write(to: folder)
        #expect(page.lastPathComponent == "trace.html")
        for name in ["trace.html", "trace.har", "trace.jsonl"] {
            let path = folder.appending(path: name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        let lines = try String(contentsOf: folder.appending(path: "trace.jsonl"), encoding: .utf8).split(
            separator: "\n")
        let events = try lines.map { try JSONReader.read(String($0))["event"]?.stringValue }
        #expect(events.first == "run")
        #expect(events.count { $0 == "step" } == 14)
    }
}

private struct DrawnPage: PageSnapshot {
    let url = "https://bank.example/"
    let title = "Bank"
    let status = 200
    let matchCount = 1
    let picture: PagePicture? = PagePicture(
        bytes: Array("ABCDEF".utf8), mediaType: "image/webp",
        matches: [.init(x: 0.25, y: 0.125, width: 0.5, height: 1.0 / 30)])

    func sanitised(keepingDigits keepsDigits: Bool) -> String { "<p>Bank</p>" }
}
