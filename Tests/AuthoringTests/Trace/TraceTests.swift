import Automation
import BankScript
import DefaultBank
import Foundation
import HTMLAutomation
import JSON
import RecordedVisits
import Selectors
import TestSupport
import Testing

@testable import Authoring

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
