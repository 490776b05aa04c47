import Authoring
import Automation
import BankScript
import DefaultBank
import Foundation
import HTMLAutomation
import MockBank
import Secrets

/// A run of the default bank's script against the mock bank, recorded.
package struct RecordedRun {
    package let recorder: TraceRecorder
    package let script: BankScript
    package let outcome: Result<FetchedDocument, RunFailure>

    package static let login = ["username": "robin.ashdown", "password": "correct horse"]
    /// A day on which the archive has two pages.
    package static let today = Date(timeIntervalSince1970: 1_795_000_000)
    package static let period: [String: ParameterValue] = ["month": 1, "year": 2026]

    /// - Parameter years: from 2026 to the year of the run. A mask hides every living secret of the process, and other
    ///   tests hold “2026” as one.
    package static func make(
        _ script: BankScript = MeridianSavings.script, mask: Mask = Mask(), login: [String: String] = login,
        later years: Int = 0
    ) async throws -> RecordedRun {
        var configuration = MockBankConfiguration()
        configuration.today = today.addingTimeInterval(Double(years) * 365.25 * 86_400)
        let period: [String: ParameterValue] = ["month": 1, "year": ParameterValue(2026 + years)]
        let bank = try await MockBankServer.start(configuration)
        let there = script.served(at: bank.url, isForTesting: true)
        let recorder = TraceRecorder(there, mask: mask)
        let services = HostServices(
            credentials: TestCredentials(values: login), person: TestPerson(code: "123456"),
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: recorder)
        let engine = EngineConfiguration { recorder.record($0) }
        let runner = ScriptRunner(services: services) { script in
            recorder.watching(try HTMLNavigationEngine(for: script, configuration: engine))
        }
        let outcome: Result<FetchedDocument, RunFailure>
        do throws(RunFailure) {
            let document = try await runner.run(there, parameters: period)
            try? FileManager.default.removeItem(at: document.file)
            outcome = .success(document)
        } catch {
            outcome = .failure(error)
        }
        await bank.stop()
        return RecordedRun(recorder: recorder, script: there, outcome: outcome)
    }

    package var trace: Trace { Trace(recorder) }
}
