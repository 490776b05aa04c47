import Authoring
import Automation
import BankScript
import Clocks
import Foundation
import HTMLAutomation
import Secrets

/// Runs a recorded script on both engines, to learn which one its bank needs.
struct EngineTrial: Sendable {
    /// The result of a trial.
    struct Verdict: Sendable {
        /// The engine to use; nil when none fetched the statement.
        var engine: ScriptEngine?
        /// The result for the author.
        var text: String
    }

    let draft: ScriptDraft
    let credentials: [String: Secret]
    let person: any HumanPrompt
    var observer: any RunObserver = SilentObserver()

    /// - Parameter start: starts an engine for a run.
    func run(
        start: @escaping @Sendable (ScriptEngine, BankScript) async throws -> any NavigationEngine
    ) async -> Verdict {
        let script: BankScript
        do {
            script = try BankScript(yaml: draft.yaml, file: "recording.yaml")
        } catch {
            return Verdict(text: "The script does not read back: \(error)")
        }
        guard script.parameters.allSatisfy({ draft.parameters[$0.name] != nil }) else {
            return Verdict(
                text: "The script was not tried: nothing in the visit names the month. Put {{ month.name }} and "
                    + "{{ year }} where they belong, and run it with `countersign script run FILE`.")
        }
        if let failure = await failure(of: script, on: .browser, start) {
            return Verdict(text: "The script does not fetch the statement yet. \(failure.report(source: draft.yaml))")
        }
        guard !script.printsPage else {
            return Verdict(
                engine: .browser,
                text: "The script fetches the statement. It prints a page, so it needs the browser.")
        }
        guard let failure = await failure(of: script, on: .html, start) else {
            return Verdict(
                engine: .html,
                text:
                    "The bank needs no browser: both engines fetch the statement. The script uses html, which is faster."
            )
        }
        return Verdict(
            engine: .browser,
            text: "The bank needs the browser: there the script fetches the statement. Without: \(failure.message)")
    }

    private func failure(
        of script: BankScript, on engine: ScriptEngine,
        _ start: @escaping @Sendable (ScriptEngine, BankScript) async throws -> any NavigationEngine
    ) async -> RunFailure? {
        var script = script
        script.engine = engine
        let services = HostServices(
            credentials: RecordedCredentials(values: credentials), person: person,
            downloads: FolderSink(FileManager.default.temporaryDirectory), observer: observer)
        let runner = ScriptRunner(services: services) { try await start(engine, $0) }
        switch await runner.result(of: script, parameters: draft.parameters) {
        case .success(let document):
            try? FileManager.default.removeItem(at: document.file)
            return nil
        case .failure(let failure): return failure
        }
    }
}

/// The credentials that were typed during a recording.
private struct RecordedCredentials: CredentialProvider {
    let values: [String: Secret]

    var adviceForMissing: String? { "type it in the window while you record" }

    func credential(named name: String, forBank bankID: String) async throws -> Secret? { values[name] }
}
