import Automation
import BankScript
import Foundation
import HTMLAutomation
import MockBank
import Secrets
import TestCases
import Testing

/// Scripts that are broken in one way each, and the whole report of their run. With `COUNTERSIGN_WRITE_GOLDEN` set the
/// reports are written anew, for a person to read before they are committed.
@Suite("The report of a broken script")
struct GoldenReportTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    private static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    @Test("equals the reviewed text", arguments: names)
    func golden(name: String) async throws {
        let report = try await report(of: name)
        let file = Self.folder.appending(path: "\(name).txt")
        if ProcessInfo.processInfo.environment["COUNTERSIGN_WRITE_GOLDEN"] != nil {
            try Data((report + "\n").utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == report + "\n")
        #expect(report.contains("script  \(name).yaml:"))
        for secret in ["correct horse", "123456"] { #expect(!report.contains(secret)) }
    }

    @Test("exists for at least ten kinds of errors")
    func enough() {
        #expect(Self.names.count >= 10)
    }

    private func report(of name: String) async throws -> String {
        let file = Self.folder.appending(path: "\(name).yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let script = try BankScript(yaml: text, file: file.lastPathComponent)
        // The first line names the scenario.
        let scenario = text.prefix { $0 != "\n" }.dropFirst(2)
        var configuration = MockBankConfiguration()
        configuration.scenario = try #require(Scenario(rawValue: String(scenario)))
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        let bank = try await MockBankServer.start(configuration)
        let services = HostServices(
            credentials: TestCredentials(values: ["username": "robin.ashdown", "password": "correct horse"]),
            person: TestPerson(code: "123456"), downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0) }
        var report = "no failure"
        do throws(RunFailure) {
            _ = try await runner.run(
                script.served(at: bank.url, isForTesting: true), parameters: ["month": 11, "year": 2025])
        } catch {
            report = error.report(source: text)
        }
        await bank.stop()
        return report.replacing(bank.url, with: "https://bank.example")
            .replacing(bank.otherURL, with: "https://login.example")
    }
}
