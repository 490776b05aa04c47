import Foundation
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("The commands that run or replay a script without its browser")
struct ReplayCommandTests {
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
        try await TemporaryFolder.with(["x.yaml": script, "login.json": "{}", "visit.har": "{}"]) { folder in
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
        try await TemporaryFolder.with(["x.yaml": script, "visit.har": har]) { folder in
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
