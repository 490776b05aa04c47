import Automation
import BankScript
import Crypto
import Encodings
import Foundation
import HTMLAutomation
import MockBank
import TestCases
import TestSupport
import Testing

@testable import Authoring

/// Drafts from recordings that Chromium made of the mock bank, run unedited against it.
@Suite("A script drafted from a visit in Chromium", .serialized)
struct DraftInBrowserTests {
    private static let signIn: [JSONValue] = [
        ["type": ["[name=username]", "robin.ashdown"]], ["type": ["[name=password]", "correct horse"]],
        ["clickText": ["button", "Sign in"]], ["type": ["[name=code]", "123456"]],
        ["clickText": ["button", "Continue"]],
    ]

    private struct Visit: Sendable, CustomTestStringConvertible {
        var scenario: Scenario
        var signIn = DraftInBrowserTests.signIn
        var steps: [JSONValue]
        var testDescription: String { scenario.rawValue }
    }

    /// The way to the document in an app of the mock bank.
    private static let inApp: [JSONValue] = [
        ["clickText": ["button", "2025"]], ["awaitText": "Statements 2025"],
        ["clickText": ["li:nth-child(3) button", "PDF"]], ["awaitAnswer": "application/pdf"],
        ["clickText": ["button", "Sign out"]], ["await": "[name=username]"],
    ]

    private static let visits = [
        Visit(
            scenario: .oldPortal,
            signIn: [
                ["type": ["[name=kennung]", "robin.ashdown"]], ["type": ["[name=pin]", "correct horse"]],
                ["click": "[name=anmelden]"], ["type": ["[name=tan]", "123456"]], ["click": "[name=absenden]"],
            ],
            steps: [
                ["clickText": ["a", "2025"]], ["awaitText": "Dezember 2025"],
                ["click": "tr:nth-child(3) [name=zeigen]"], ["awaitAnswer": "application/pdf"],
                ["clickText": ["a", "Abmelden"]], ["awaitText": "abgemeldet"],
            ]),
        Visit(scenario: .jsonBank, steps: inApp), Visit(scenario: .xsrfCookie, steps: inApp),
        Visit(
            scenario: .happy,
            steps: [
                ["clickText": ["a", "Statements"]], ["clickText": ["option", "2025"]],
                ["clickText": ["button", "Show"]], ["awaitText": ", 2025"],
                ["clickText": ["tr:nth-child(3) a", "PDF"]], ["awaitAnswer": "application/pdf"],
                ["clickText": ["button", "Sign out"]],
            ]),
    ]

    private static func recording(
        of visit: Visit, at url: String, in folder: TemporaryFolder
    ) async throws -> HTTPArchive {
        let steps = folder.appending("steps.json")
        let output = folder.appending("visit.har")
        try Data(
            JSONValue.array([["open": .string(url + "/login")]] + visit.signIn + visit.steps).compactBytes()
        ).write(to: steps)
        let outcome = try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"),
            ["python3", Peers.script("chromium_har.py").path, steps.path, output.path],
            environment: ProcessInfo.processInfo.environment, input: nil, in: folder.url)
        #expect(outcome.status == 0, "\(outcome)")
        return try HTTPArchive(reading: Data(contentsOf: output))
    }

    @Test(
        "fetches the right document for another month", .needsChromedriver, .timeLimit(.minutes(4)), arguments: visits)
    private func drafted(_ visit: Visit) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = MockBankConfiguration()
        configuration.scenario = visit.scenario
        configuration.today = RecordedRun.today
        let bank = try await MockBankServer.start(configuration)
        let archive = try await Self.recording(of: visit, at: bank.url, in: folder)
        let draft = try ScriptDraft(recording: archive)
        let check = await draft.check(against: archive)
        #expect(check.outcome == .passed, "\(check.text)\n\(draft.yaml)")
        // No edit by hand: the draft, as it is, fetches another month from the live bank.
        let services = HostServices(
            credentials: TestCredentials(values: RecordedRun.login), person: TestPerson(code: "123456"),
            downloads: FolderSink(folder.url))
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0) }
        let script = try BankScript(yaml: draft.yaml, file: "draft.yaml")
        let document = try await runner.run(script, parameters: ["month": 5, "year": 2025])
        await bank.stop()
        let right = MockBankServer.statement(month: 5, year: 2025)
        #expect(document.sha256 == Base16.encode(SHA256.hash(data: right)), "\(draft.yaml)")
    }

    @Test("leaves no driver behind that does not answer", .needsChromedriver, .timeLimit(.minutes(3)))
    func hangingDriver() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let driver = folder.appending("driver")
        try await WrittenProgram.script("echo $$ > '\(folder.appending("pid").path)'\nsleep 300", as: driver)
        try Data("[]".utf8).write(to: folder.appending("steps.json"))
        var environment = ProcessInfo.processInfo.environment
        environment["COUNTERSIGN_CHROMEDRIVER"] = driver.path
        let outcome = try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"),
            ["python3", Peers.script("chromium_har.py").path, folder.appending("steps.json").path, "visit.har", "3"],
            environment: environment, input: nil, in: folder.url)
        #expect(outcome.status == 1, "\(outcome)")
        let text = try String(contentsOf: folder.appending("pid"), encoding: .utf8)
        let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(process, 0) == -1 && errno == ESRCH, "the driver \(process) still runs")
    }
}
