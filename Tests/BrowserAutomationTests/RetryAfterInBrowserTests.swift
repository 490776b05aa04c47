import Automation
import BankScript
import Foundation
import Synchronization
import TestCases
import TestSupport
import Testing

@testable import BrowserAutomation

@Suite("A server that asks a browser to wait", .serialized)
struct RetryAfterInBrowserTests {
    private static func answer(_ status: String, _ type: String, _ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n\(fields)Connection: close\r\n\r\n\(body)"
    }

    private static let page = answer(
        "200 OK", "text/html", "<!doctype html><title>Bank</title><a href=/1.pdf>Statement</a>")

    /// Runs a script that downloads from a link whose first answer asks to wait.
    ///
    /// - Returns: the failure, and the number of times that the document was asked for.
    private func run(waiting seconds: Int, _ status: String) async throws -> (failure: RunFailure?, count: Int) {
        let count = Mutex(0)
        let folder = try TemporaryFolder()
        var failure: RunFailure?
        try await BrowserVisit.run(
            answer: { path in
                guard path == "/1.pdf" else { return Self.page }
                guard
                    count.withLock({
                        $0 += 1
                        return $0
                    }) > 1
                else {
                    return Self.answer(
                        status, "text/html", "<title>Slow down</title><h1>Later", "Retry-After: \(seconds)\r\n")
                }
                return Self.answer("200 OK", "application/pdf", "%PDF-1.4\nstatement\nstartxref\n0\n%%EOF\n")
            },
            { engine, origin in
                let script = BankScript(
                    id: "bank", name: "Bank", origins: [origin], isForTesting: true,
                    steps: Open("/").steps + Download("Statement").steps)
                let services = HostServices(
                    credentials: TestCredentials(values: [:]), person: TestPerson(), downloads: FolderSink(folder.url))
                let runner = ScriptRunner(services: services) { _ in engine }
                do throws(RunFailure) {
                    _ = try await runner.run(script, parameters: ["month": 1, "year": 2026])
                } catch {
                    failure = error
                }
            })
        return (failure, count.withLock { $0 })
    }

    @Test(
        "is waited for when it is short, and asked again from the page of the link", .needsChromedriver,
        .timeLimit(.minutes(2)), arguments: ["429 Too Many Requests", "503 Service Unavailable"])
    func short(status: String) async throws {
        let (failure, count) = try await run(waiting: 1, status)
        #expect(failure == nil, "\(failure?.description ?? "")")
        #expect(count == 2)
    }

    @Test("is told of when it is long, and nothing is asked again", .needsChromedriver, .timeLimit(.minutes(2)))
    func long() async throws {
        let (failure, count) = try await run(waiting: 3600, "429 Too Many Requests")
        #expect(failure?.reason == .refusedByBank && failure?.message.contains("wait 60 min") == true)
        #expect(count == 1)
    }
}
