import Automation
import BankScript
import Foundation
import Secrets
import Selectors
import TestCases
import TestSupport
import Testing

@testable import BrowserAutomation

/// A run watches a page that its scripts change. Loaded anew, these pages would never show what the run waits for.
@Suite("Watching a page in the browser", .serialized)
struct WatchingInBrowserTests {
    /// A page that shows something after a time, unless it was loaded before.
    private static func showing(_ html: String, after delay: Int = 800) -> String {
        """
        <div id=place></div><script>
        if (!name) setTimeout(() => { place.innerHTML = `\(html)`; }, \(delay));
        name = 'seen';
        </script>
        """
    }

    private static let pages: [String: String] = [
        "/app": showing("<a href=/done>Ready</a>"),
        "/code": showing(
            "<label>Code <input></label><button onclick=\"place.innerHTML = '<a href=/done>Next</a>'\">Send</button>"),
        "/known": showing("<a href=/done>Next</a>"),
        "/refused": showing("<p class=error>Wrong password</p>"),
        "/rows": """
        <ul id=list><li>May</ul><button id=more>More</button><script>
        const rows = ['April', 'March'];
        more.onclick = () => setTimeout(() => { list.innerHTML += '<li>' + rows.shift(); }, 300);
        </script>
        """,
        // It changes by being loaded anew alone.
        "/served": """
        <script>const count = Number(name || 0); name = count + 1; document.write(count > 1 ? '<a href=/done>Ready</a>' : 'Wait')
        </script>
        """,
        "/done": "<h1>Done</h1>",
    ]

    private static let done = Expect(.shows(.heading("Done"))).steps

    static let runs: [(path: String, steps: [Step])] = [
        ("/app", WaitUntil(.shows(.link("Ready")), within: .seconds(20)).steps + Follow("Ready").steps + done),
        (
            "/app",
            SecondFactor(untilNot: .not(.shows(.link("Ready"))), within: .seconds(20)).steps + Follow("Ready").steps
                + done
        ),
        ("/app", Follow(.any(.link("Never"), .link("Ready"))).steps + done),
        (
            "/code",
            When(.shows(.field("Code"))) { Press("Send") }.steps + Follow("Next").steps + done
        ),
        ("/known", When(.shows(.field("Code"))) { Press("Send") }.steps + Follow("Next").steps + done),
        ("/rows", Search(rows: "March", next: "More", atMost: 5).steps),
        (
            "/served",
            WaitUntil(.shows(.link("Ready")), every: .milliseconds(500), within: .seconds(20), reloading: true).steps
                + Follow("Ready").steps + done
        ),
    ]

    @Test("shows a run what it waits for", .needsChromedriver, .timeLimit(.minutes(4)), arguments: runs.indices)
    func watched(_ index: Int) async throws {
        let known = Self.runs[index]
        let failure = try await Self.failure(of: known.steps, at: known.path)
        // Each script ends without a document.
        #expect(failure?.message.hasPrefix("the script ended without a download") == true, "\(failure?.message ?? "")")
    }

    @Test("ends a run with a refusal that comes late", .needsChromedriver, .timeLimit(.minutes(3)))
    func refused() async throws {
        let steps =
            Fail(.bankLoginFailed, when: .shows(.css(".error")), reason: .wrongCredentials).steps
            + Follow("Statements").steps
        let failure = try await Self.failure(of: steps, at: "/refused")
        #expect(failure?.code == .bankLoginFailed && failure?.reason == .wrongCredentials, "\(failure?.message ?? "")")
    }

    private static func failure(of steps: [Step], at path: String) async throws -> RunFailure? {
        var failure: RunFailure?
        try await BrowserVisit.run(
            page: { "<title>Bank</title>" + (pages[$0] ?? "") },
            { engine, origin in
                let script = BankScript(
                    id: "bank", name: "Bank", origins: [origin], isForTesting: true,
                    steps: Open(Template(path)).steps + steps)
                let services = HostServices(
                    credentials: TestCredentials(values: [:]), person: TestPerson(),
                    downloads: FolderSink(URL(filePath: "/nonexistent")))
                let runner = ScriptRunner(services: services) { _ in engine }
                failure = await #expect(throws: RunFailure.self) {
                    try await runner.run(script, parameters: ["month": 1, "year": 2026])
                }
            })
        return failure
    }
}
