import Automation
import BankScript
import Foundation
import HTMLAutomation
import MockBank
import ScriptTesting
import Selectors
import TestCases
import TestServers
import TestSupport
import Testing

@testable import BrowserAutomation

@Suite("A page printed by the browser", .serialized)
struct PrintingInBrowserTests {
    private static func isInstalled(_ tool: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
        }
    }

    @Test(
        "is the statement that was asked for, as it looks on paper", .needsChromedriver, .timeLimit(.minutes(3)),
        .enabled(if: isInstalled("pdftotext"), "pdftotext is not installed"))
    func statement() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let document = try await run("Variants/statement-as-page.yaml", in: folder) { _ in }
        let words = try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"), ["pdftotext", "-layout", document.file.path, "-"])
        let text = String(decoding: words.output, as: UTF8.self)
        #expect(text.contains("Statement May 2025") && text.contains("Closing balance"), "\(text)")
        // The bank hides its navigation and its hint on paper.
        #expect(!text.contains("Sign out") && !text.contains("Print this page"), "\(text)")
        let permissions = try FileManager.default.attributesOfItem(atPath: document.file.path)[.posixPermissions]
        #expect(permissions as? Int == 0o600)
    }

    @Test("is refused above the step's limit", .needsChromedriver, .timeLimit(.minutes(3)))
    func tooLarge() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let failure = await #expect(throws: RunFailure.self) {
            try await run("Variants/statement-as-page.yaml", in: folder) { script in
                script.steps[script.steps.count - 1].action = .download(
                    DownloadStep(source: .printedPage, limit: 1000))
            }
        }
        #expect(failure?.code == .pdfDownloadFailed && failure?.reason == .tooLarge, "\(String(describing: failure))")
        #expect(folder.names == [])
    }

    @Test("is not made without the browser, and the error says so")
    func otherEngine() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let failure = await #expect(throws: RunFailure.self) {
            try await run("Variants/statement-as-page.yaml", in: folder, on: .html) { _ in }
        }
        #expect(failure?.code == .pdfDownloadFailed)
        #expect(failure?.message == "only the browser can print a page; write “engine: browser” in the script")
        #expect(folder.names == [])
    }

    @Test(
        "is not made of a frame, nor of a page that answered with an error", .needsChromedriver,
        .timeLimit(.minutes(3)))
    func refused() async throws {
        let site = try await LoopbackSite.start { path in
            let page = path == "/" ? "<iframe src=/inner></iframe>" : "<p>Statement of May</p>"
            let status = path == "/broken" ? "500 Broken" : "200 OK"
            return "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html>" + page
        }
        let origin = "http://localhost:\(site.port)"
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let script = BankScript("bank", named: "Bank", at: origin, isForTesting: true, steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(for: script)
        do {
            try await engine.open(origin + "/")
            try await engine.enter(frame: .css("iframe"))
            let error = await #expect(throws: EngineError.self) {
                _ = try await engine.download(.printedPage, to: folder.appending("framed.pdf"), limit: 1 << 20)
            }
            #expect(error?.message.hasPrefix("the steps are in a frame") == true)
            try await engine.open(origin + "/broken")
            let file = try await engine.download(.printedPage, to: folder.appending("broken.pdf"), limit: 1 << 20)
            // The interpreter refuses a document of this status.
            #expect(file.status == 500)
        } catch {
            Issue.record(error)
        }
        await engine.close()
        await site.stop()
    }

    /// Fetches May 2025 from the bank that shows statements as pages.
    private func run(
        _ path: String, in folder: TemporaryFolder, on engine: ScriptEngine = .browser,
        _ change: (inout BankScript) -> Void
    ) async throws -> FetchedDocument {
        var configuration = MockBankConfiguration()
        configuration.scenario = .statementAsPage
        let bank = try await MockBankServer.start(configuration)
        let file = Repository.file("BankScripts/DefaultBank/" + path)
        var script = try BankScript(yaml: String(contentsOf: file, encoding: .utf8), file: path)
            .served(at: bank.url, isForTesting: true)
        change(&script)
        let services = HostServices(
            credentials: TestCredentials(
                values: ["username": configuration.username, "password": configuration.password]),
            person: TestPerson(code: configuration.oneTimeCode), downloads: FolderSink(folder.url))
        let runner = ScriptRunner(services: services) { script in
            guard engine == .browser else { return try HTMLNavigationEngine(for: script) }
            return try await BrowserNavigationEngine.start(for: script)
        }
        do {
            let document = try await runner.run(script, parameters: ["month": 5, "year": 2025])
            await bank.stop()
            return document
        } catch {
            await bank.stop()
            throw error
        }
    }
}
