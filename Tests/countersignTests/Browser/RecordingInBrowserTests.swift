import Automation
import BankScript
import DefaultBank
import Encodings
import Foundation
import HTMLAutomation
import MockBank
import Secrets
import TestSupport
import Testing

/// The way from a browser to a script: visit the bank, save the developer tools' HAR, and draft a script from it.
// Serialised: each test has a Chromium of its own, and two at once exceed the tests' time limits on two cores.
@Suite("A visit with Chromium, saved as a HAR file", .serialized)
struct RecordingInBrowserTests {
    private static let today = Date(timeIntervalSince1970: 1_795_000_000)

    @Test(
        "becomes a script that lints clean, fetches the right PDF, and replays against the recording",
        .needsChromedriver,
        .timeLimit(.minutes(3)))
    func draft() async throws {
        var configuration = MockBankConfiguration()
        configuration.today = Self.today
        let bank = try await MockBankServer.start(configuration)
        let outcome: Result<Void, any Error>
        do {
            let har = try await visit(bank, configuration)
            outcome = .success(try await write(from: har, at: bank))
        } catch {
            outcome = .failure(error)
        }
        await bank.stop()
        try outcome.get()
    }

    private func visit(_ bank: MockBankServer, _ configuration: MockBankConfiguration) async throws -> JSONValue {
        let driver = WebDriver()
        try await driver.start(logs: true)
        var recording = DevToolsRecording(driver)
        let outcome: Result<Void, any Error>
        do {
            try await driver.open(bank.url + "/login")
            try await recording.takeUp()
            try await driver.type(configuration.username, into: "#username")
            try await driver.type(configuration.password, into: "#password")
            try await driver.click("form button")
            try await driver.wait(for: "one-time code")
            try await recording.takeUp()
            try await driver.type(configuration.oneTimeCode, into: "#code")
            try await driver.click("form button")
            try await driver.wait(for: "Your accounts")
            try await recording.takeUp()
            // Visit another page and go back, as people do.
            try await driver.click(".brand")
            try await driver.wait(for: "Saving, calmly")
            try await recording.takeUp()
            _ = try await driver.evaluate("history.back()")
            try await driver.wait(for: "Your accounts")
            try await recording.takeUp()
            try await driver.click("nav a[href='/statements']")
            try await driver.wait(for: "Document")
            try await recording.takeUp()
            try await driver.type("2025", into: "#year")
            try await driver.click(".filter button")
            try await driver.wait(for: "December 2025")
            try await recording.takeUp()
            try await driver.click("a[rel=next]")
            try await driver.wait(for: "Page 2 of 3")
            try await recording.takeUp()
            try await driver.click("a[href$='2025-05']")
            try await recording.takeUp()
            try await driver.click("header form button")
            try await driver.wait(for: "You are signed out")
            try await recording.takeUp()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await driver.stop()
        try outcome.get()
        return recording.har
    }

    private func write(from har: JSONValue, at bank: MockBankServer) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = temporary.url
        try Data(har.canonicalBytes()).write(to: folder.appending(path: "visit.har"))
        func script(_ arguments: String...) async throws -> CountersignProcess.Outcome {
            try await CountersignProcess(["script"] + arguments, in: folder).run()
        }
        let made = try await script("new", "--from-har", "visit.har", "--output", "drafted.yaml")
        #expect(made.status == 0, "\(made.errors)")
        let yaml = try String(contentsOf: folder.appending(path: "drafted.yaml"), encoding: .utf8)
        for secret in ["robin.ashdown", "correct horse", "correct+horse", "123456"] {
            #expect(!yaml.contains(secret), "\(yaml)")
        }
        // No recording of a right password shows what a wrong one brings.
        let lint = try await script("lint", "drafted.yaml")
        let found = (lint.output + lint.errors).matches(of: /\[([a-z-]+)\]/).map { String($0.1) }
        #expect(lint.status == 0 && found == ["no-refusal"], "\(lint.output)")
        let replay = try await script(
            "replay", "drafted.yaml", "--har", "visit.har", "--param", "month=5", "--param", "year=2025")
        // Chromium saves a download to a file and gives its body to no recorder, so only the last step cannot be compared.
        #expect(replay.status == 1, "\(yaml)\(replay.errors)")
        #expect(
            replay.errors.contains("statements/everyday/2025-05, but not the PDF itself"), "\(yaml)\(replay.errors)")

        let drafted = try BankScript(yaml: yaml, file: "drafted.yaml")
        let asRecorded = try await fetch(drafted, month: 5, year: 2025)
        let another = try await fetch(drafted, month: 11, year: 2024)
        let reference = MeridianSavings.script.served(at: bank.url, isForTesting: true)
        #expect(asRecorded == (try await fetch(reference, month: 5, year: 2025)), "\(yaml)")
        #expect(another == (try await fetch(reference, month: 11, year: 2024)))
        #expect(asRecorded != another)
    }

    /// - Returns: the statement's SHA-256.
    private func fetch(_ script: BankScript, month: Int, year: Int) async throws -> String {
        let services = HostServices(
            credentials: Robin(), person: Robin(), downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0) }
        let document = try await runner.run(
            script, parameters: ["month": ParameterValue(month), "year": ParameterValue(year)])
        try FileManager.default.removeItem(at: document.file)
        return document.sha256
    }
}

/// The bank's customer.
private struct Robin: CredentialProvider, HumanPrompt {
    func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        ["username": "robin.ashdown", "password": "correct horse"][name].map(Secret.init)
    }

    func answer(_ prompt: Prompt) async throws -> Secret { Secret("123456") }
}
