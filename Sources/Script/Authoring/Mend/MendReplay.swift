import Automation
import BankScript
import CurlClient
import Foundation
import HTMLAutomation
import Markup
import Synchronization

/// A page as it was before a step.
struct PageSight: Sendable {
    let document: Document
    let status: Int
}

/// One replay of a numbered script against a recording, with what a mend has to know of it.
struct MendReplay: Sendable {
    enum End: Sendable {
        /// The script went to its end.
        case document
        /// The recording has no answer to a request of the step: it ends there, or the step asked for something else.
        case unanswered(step: Int, message: String)
        /// The step failed on the page.
        case failed(step: Int, RunFailure)
    }

    let end: End
    /// The page before each step that began.
    let sights: [Int: PageSight]
    /// The number of recorded exchanges that were used.
    let used: Int
    /// Every place that a credential was sent to, also where the recording had no answer.
    let flows: Set<CredentialFlow>

    /// The number of the step that the replay stopped at; nil at the end.
    var stop: Int? {
        switch end {
        case .document: nil
        case .unanswered(let step, _), .failed(let step, _): step
        }
    }

    /// The longest replay: a script that waits for a person would wait for ever.
    private static let limit: Duration = .seconds(60)

    static func run(
        _ script: BankScript, on archive: HTTPArchive, parameters: [String: ParameterValue]
    ) async -> MendReplay {
        let recording = ReplayTransport(archive)
        let transport = FlowTransport(recording, origins: script.origins)
        let watch = MendWatch(recording)
        let answers = ReplayAnswers()
        // Signing out comes after the outcome, and its requests must not count as the outcome's.
        var script = script
        script.finally = []
        let services = HostServices(
            credentials: answers, person: answers, downloads: FolderSink(FileManager.default.temporaryDirectory),
            observer: watch, gate: watch)
        let runner = ScriptRunner(services: services, limit: limit) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: transport))
        }
        let outcome = await runner.result(of: script, parameters: parameters)
        let end: End
        switch outcome {
        case .success(let document):
            try? FileManager.default.removeItem(at: document.file)
            end = .document
        case .failure(let failure):
            let step = failure.place?.mark?.line ?? watch.latest
            end =
                watch.mismatch.map { .unanswered(step: step, message: $0) } ?? .failed(step: step, failure)
        }
        return MendReplay(end: end, sights: watch.sights, used: recording.used, flows: transport.flows)
    }
}

extension ScriptRunner {
    fileprivate func result(
        of script: BankScript, parameters: [String: ParameterValue]
    ) async -> Result<FetchedDocument, RunFailure> {
        do throws(RunFailure) {
            return .success(try await run(script, parameters: parameters))
        } catch {
            return .failure(error)
        }
    }
}

/// Keeps the page before each step, and the first request that the recording could not answer.
private final class MendWatch: StepGate, RunObserver {
    private struct State {
        var sights: [Int: PageSight] = [:]
        var latest = 0
    }

    private let recording: ReplayTransport
    private let state = Mutex(State())

    init(_ recording: ReplayTransport) { self.recording = recording }

    var sights: [Int: PageSight] { state.withLock { $0.sights } }
    /// The number of the step that began last.
    var latest: Int { state.withLock { $0.latest } }
    var mismatch: String? { recording.mismatches.first }

    func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {
        guard let number = place.mark?.line else { return }
        let snapshot = await engine.snapshot(outlining: nil) as? HTMLPageSnapshot
        state.withLock { state in
            state.latest = number
            guard let snapshot else { return }
            state.sights[number] = PageSight(document: snapshot.document, status: snapshot.status)
        }
    }

    func observe(_ event: RunEvent) {}
}
