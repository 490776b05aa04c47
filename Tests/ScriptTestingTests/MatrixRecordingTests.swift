import Authoring
import Automation
import BankScript
import Foundation
import HTMLAutomation
import MockBank
import Secrets
import TestSupport
import Testing

@testable import ScriptTesting

@Suite("A matrix with recordings")
struct MatrixRecordingTests {
    private static let folder = Repository.file("BankScripts/DefaultBank")

    private static func subject(_ path: String) throws -> ScriptMatrix.Subject {
        let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        return ScriptMatrix.Subject(try BankScript(yaml: text, file: path), source: text)
    }

    private static let head = "parameters: { month: 11, year: 2025 }\nscenarios:\n"

    private static func recording(
        _ bank: MockBankServer, _ configuration: MockBankConfiguration, password: String? = nil
    ) async throws -> HTTPArchive {
        let recording = MaskedRecording()
        let services = recording.observing(
            HostServices(
                credentials: GivenCredentials(
                    username: configuration.username, password: password ?? configuration.password),
                person: MatrixPerson(kind: .present, code: configuration.oneTimeCode, clock: MatrixClock()),
                downloads: FolderSink(FileManager.default.temporaryDirectory)))
        let script = try subject("meridian-savings.yaml").script.served(at: bank.url, isForTesting: true)
        let runner = ScriptRunner(services: services) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(observer: recording.record))
        }
        let document = try? await runner.run(script, parameters: ["month": 11, "year": 2025])
        if let document { try FileManager.default.removeItem(at: document.file) }
        return try HTTPArchive(reading: try recording.archive.redacted())
    }

    private struct GivenCredentials: CredentialProvider {
        let username: String
        let password: String

        func credential(named name: String, forBank bankID: String) async throws -> Secret? {
            Secret(name == "username" ? username : password)
        }
    }

    @Test("runs rows against recordings, and lists the declared outcomes that no row met")
    func recordings() async throws {
        let configuration = MockBankConfiguration()
        let bank = try await MockBankServer.start(configuration)
        let visit = try await Self.recording(bank, configuration)
        let refused = try await Self.recording(bank, configuration, password: "no-password-of-the-bank")
        await bank.stop()
        let text = """
            parameters: { month: 11, year: 2025 }
            scenarios:
              - har: visit.har
                expect: statement
              - har: wrong-password.har
                expect: { BANK_LOGIN_FAILED: wrong_credentials }
              - har: visit.har
                name: another month
                parameters: { month: 10 }
                expect: { NAVIGATION_FAILED: statement_missing }
            """
        let matrix = try ScriptMatrix(
            yaml: text, file: "test.yaml", of: try Self.subject("meridian-savings.yaml"),
            recording: { $0 == "visit.har" ? visit : refused }, load: Self.subject)
        let report = try await MatrixRunner().run(matrix)
        #expect(report.entries[0].surprise == nil, "\(report.table)")
        #expect(report.entries[1].surprise == nil, "\(report.table)")
        #expect(report.entries[2].surprise != nil, "a request that was not recorded says nothing about the bank")
        let outcomes = DeclaredOutcomes(of: report)
        #expect(outcomes.met.count == 2)
        #expect(outcomes.missed.contains { $0.isInterruption && $0.words.contains("account_locked") })
        #expect(report.table.contains("2 of \(outcomes.outcomes.count) declared outcomes were exercised"))
        #expect(report.table.contains("never, line "))
    }

    @Test(
        "explains a wrong row with a recording",
        arguments: [
            ("- har: a.har", "must say what to expect"),
            ("- { har: a.har, happy: statement, expect: statement }", "not both"),
            ("- { happy: statement, expect: statement }", "only for a row with “har”"),
        ])
    func wrongRecording(row: String, words: String) throws {
        #expect {
            _ = try ScriptMatrix(
                yaml: Self.head + "  " + row, file: "t.yaml", of: try Self.subject("meridian-savings.yaml"),
                recording: { _ in HTTPArchive([]) }, load: Self.subject)
        } throws: { "\($0)".contains(words) }
    }
}
