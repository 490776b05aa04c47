import Automation
import BankScript
import DefaultBank
import Foundation
import HTMLAutomation
import MockBank
import Secrets
import Synchronization
import TestCases
import Testing

@Suite("Running a script against the mock bank")
struct ScriptRunnerTests {
    private static let login = ["username": "robin.ashdown", "password": "correct horse"]

    private func run(
        _ script: BankScript = MeridianSavings.script, month: Int = 1, year: Int = 2026,
        credentials: [String: String] = login, code: String? = "123456", observer: any RunObserver = StepLog(),
        limit: Duration = .seconds(30)
    ) async throws -> FetchedDocument {
        var configuration = MockBankConfiguration()
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        let bank = try await MockBankServer.start(configuration)
        let services = HostServices(
            credentials: TestCredentials(values: credentials), person: TestPerson(code: code),
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: observer)
        let runner = ScriptRunner(services: services, limit: limit) { try HTMLNavigationEngine(for: $0) }
        let outcome: Result<FetchedDocument, any Error>
        do {
            let there = script.served(at: bank.url, isForTesting: true)
            outcome = .success(
                try await runner.run(there, parameters: ["month": ParameterValue(month), "year": ParameterValue(year)]))
        } catch {
            outcome = .failure(error)
        }
        await bank.stop()
        return try outcome.get()
    }

    private func failure(_ body: () async throws -> FetchedDocument) async throws -> RunFailure {
        do {
            let document = try await body()
            try? FileManager.default.removeItem(at: document.file)
        } catch {
            return try #require(error as? RunFailure)
        }
        throw Unexpected()
    }

    private struct Unexpected: Error {}

    @Test("fetches the statement, and logs out at the end", arguments: [(1, 2025), (12, 2025), (10, 2026)])
    func happy(month: Int, year: Int) async throws {
        let steps = StepLog()
        let document = try await run(month: month, year: year, observer: steps)
        defer { try? FileManager.default.removeItem(at: document.file) }
        let data = try Data(contentsOf: document.file)
        #expect(data.count == document.bytes)
        #expect(data.starts(with: Data("%PDF-".utf8)))
        #expect(steps.words.last == "✓ press button “Sign out”")
        #expect(!steps.words.contains { $0.hasPrefix("✗") })
    }

    @Test("reports a wrong password, in the bank's own words")
    func wrongPassword() async throws {
        let failure = try await failure {
            try await run(credentials: ["username": "robin.ashdown", "password": "not-robins-password"])
        }
        #expect(failure.code == .bankLoginFailed)
        #expect(failure.reason == .wrongCredentials)
        #expect(failure.bankWords == "The username or password is not right. Please try again.")
    }

    @Test("reports a wrong code")
    func wrongCode() async throws {
        let failure = try await failure { try await run(code: "000000") }
        #expect(failure.code == .bankLoginFailed)
        #expect(failure.reason == .wrongCode)
    }

    @Test("ends with BANK_2FA_TIMEOUT when the person does not answer")
    func noCode() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: MeridianSavings.origin) {
            Open("/login")
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Press("Sign in")
            SecondFactor("One-time code", from: .person, within: .milliseconds(200))
            Download("PDF")
        }
        let failure = try await failure { try await run(script, code: nil) }
        #expect(failure.code == .bankSecondFactorTimeout)
        #expect(failure.reason == .timeout)
    }

    @Test("reports the missing statement, the number of pages, and similar rows")
    func missing() async throws {
        let failure = try await failure { try await run(month: 12, year: 2026) }
        #expect(failure.code == .navigationFailed)
        #expect(failure.reason == .statementMissing)
        #expect(failure.message.contains("row “December 2026” is not on 2 pages"))
        #expect(failure.candidates.contains { $0.contains("2026") })
    }

    @Test("names the step, the page and similar elements when a link is missing")
    func renamed() async throws {
        var script = MeridianSavings.script
        script.steps[2].action = .press(.button("Log in"))
        let failure = try await failure { try await run(script) }
        #expect(failure.code == .navigationFailed)
        #expect(failure.reason == .layoutChanged)
        #expect(failure.place?.number == 3)
        #expect(failure.page?.title == "Sign in – Meridian Savings")
        #expect(failure.candidates.contains { $0.contains("Sign in") })
        #expect(failure.description.contains("MeridianSavings.swift"))
    }

    @Test("names the step in the same words when no observer listens")
    func unwatched() async throws {
        var script = MeridianSavings.script
        script.steps[2].action = .press(.button("Log in for {{ year }}"))
        let watched = try await failure { try await run(script) }
        let unwatched = try await failure { try await run(script, observer: SilentObserver()) }
        #expect(unwatched.place?.words == "press button “Log in for 2026”")
        #expect(unwatched.place == watched.place)
    }

    @Test("reports a page that came instead of a PDF, and keeps no file")
    func notAPDF() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: MeridianSavings.origin) {
            Open("/login")
            Download(from: .open("/"))
        }
        let failure = try await failure { try await run(script) }
        #expect(failure.code == .pdfDownloadFailed)
        #expect(failure.reason == .notAPDF)
        #expect(failure.message.contains("a page titled “Meridian Savings – Meridian Savings”"))
    }

    @Test("never shows a secret capture, not even in the bank's own words")
    func secretCapture() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: MeridianSavings.origin) {
            // The front page's words occur in no other test, in which a living secret would be masked as well.
            Open("/")
            Capture("greeting", from: .text(.heading("Saving, calmly.")), isSecret: true)
            Press("Log in")
        }
        let steps = StepLog()
        let failure = try await failure { try await run(script, observer: steps) }
        #expect(failure.bankWords == "•••")
        #expect(!(failure.report() + steps.words.joined()).contains("calmly"))
    }

    @Test("asks for no code when the page has no field for it")
    func noField() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: MeridianSavings.origin) {
            Open("/login")
            SecondFactor("One-time code", from: .person, within: .minutes(2))
        }
        let failure = try await failure { try await run(script, code: nil) }
        #expect(failure.reason == .layoutChanged)
    }

    @Test("never leaves the script's origins")
    func foreign() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: MeridianSavings.origin) {
            Open("https://elsewhere.example/")
            Download("PDF")
        }
        let failure = try await failure { try await run(script) }
        #expect(failure.reason == .foreignOrigin)
    }

    @Test("stops at its limit with EXECUTION_TIMEOUT")
    func limit() async throws {
        let failure = try await failure { try await run(code: nil, limit: .milliseconds(300)) }
        #expect(failure.code == .executionTimeout)
    }

    @Test("a regular expression that never ends does not block the run", .timeLimit(.minutes(3)))
    func endlessExpression() async throws {
        let script = BankScript("default", named: "Meridian Savings", at: MeridianSavings.origin) {
            Open("/login")
            Capture("number", from: .template(Template(String(repeating: "a", count: 60))), matching: "(a+)+b")
            Download("PDF")
        }
        let failure = try await failure { try await run(script) }
        #expect(failure.code == .navigationFailed)
        #expect(failure.message.contains("takes too long"), "\(failure.message)")
    }

    @Test("runs 'finally' after a cancellation, and reports the cancellation", .timeLimit(.minutes(3)))
    func cancelled() async throws {
        let steps = StepLog()
        let running = Task { try await failure { try await run(code: nil, observer: steps) } }
        while steps.words.count < 5 { try await Task.sleep(for: .milliseconds(5)) }
        running.cancel()
        let ended = try await running.value
        #expect(ended.reason == .cancelled)
        #expect(steps.words.last?.contains("Sign out") == true)
    }

    @Test(
        "requires all parameters, and no others, in their ranges",
        arguments: [["month": 1], ["month": 13, "year": 2026], ["month": 1, "year": 2026, "day": 1]])
    func parameters(parameters: [String: ParameterValue]) async throws {
        let services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(),
            downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0) }
        await #expect(throws: RunFailure.self) { try await runner.run(MeridianSavings.script, parameters: parameters) }
    }

    @Test("reports a missing credential")
    func noCredentials() async throws {
        let failure = try await failure { try await run(credentials: [:]) }
        #expect(failure.reason == .credentialMissing)
        #expect(failure.message.contains("countersign phone setup"))
    }
}
