import Automation
import BankScript
import Foundation
import Secrets
import TestCases
import TestServers
import TestSupport
import Testing

@testable import BrowserAutomation

/// A page that sends a code by itself, as soon as its last character is there, sends it once.
@Suite("A code that its page sends by itself, in the browser", .serialized)
struct CodeFieldsInBrowserTests {
    private struct Person: HumanPrompt {
        func answer(_ prompt: Prompt) async throws -> Secret { Secret("839174") }
    }

    private static let send =
        "const send = async (code) => { await fetch('/code/' + code); location = '/statements'; };"

    @Test(
        "counts once, and the run goes on", .needsChromedriver, .timeLimit(.minutes(3)),
        arguments: [
            "<label>Code <input maxlength=6 oninput='if (value.length == 6) send(value)'></label><script>\(send)</script>",
            """
            <fieldset><legend>Code</legend><div id=digits></div></fieldset><script>\(send)
            for (let i = 0; i < 6; i++) {
              digits.insertAdjacentHTML('beforeend', '<input maxlength=1>');
            }
            digits.oninput = (event) => {
              event.target.nextElementSibling?.focus();
              const code = [...digits.children].map((field) => field.value).join('');
              if (code.length == 6) send(code);
            };
            </script>
            """,
        ])
    func once(_ page: String) async throws {
        let site = try await LoopbackSite.start { path in
            switch path {
            case "/": BrowserVisit.answer(with: "<title>Bank</title>" + page)
            case "/statements": BrowserVisit.answer(with: "<title>Bank</title><a href=/1.pdf>Statement</a>")
            case "/1.pdf":
                "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nConnection: close\r\n\r\n%PDF-1.4\nstatement\n"
                    + "startxref\n0\n%%EOF\n"
            default: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
            }
        }
        let script = try BankScript(
            yaml: """
                bank: bank
                name: Bank
                origins: ["http://localhost:\(site.port)"]
                testing: true
                engine: browser
                steps:
                  - open: /
                  - second factor: { field: Code, from: [person], within: 1 min }
                  - download: Statement
                """, file: "bank.yaml")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let services = HostServices(
            credentials: TestCredentials(values: ["username": "casey.navigator", "password": "a-pass-word"]),
            person: Person(), downloads: FolderSink(folder.url))
        let runner = ScriptRunner(services: services) { try await BrowserNavigationEngine.start(for: $0) }
        do {
            let document = try await runner.run(script, parameters: ["month": 3, "year": 2026])
            #expect(document.bytes > 0)
        } catch {
            Issue.record(error)
        }
        await site.stop()
        #expect(site.arrivals.paths.contains("/code/839174"))
    }
}
