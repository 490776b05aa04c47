import Authoring
import Automation
import BankScript
import Foundation
import HTMLAutomation
import Secrets
import Synchronization

/// A replay of a script against the recording, as the desk shows it.
struct ReplayedRun: Sendable {
    struct Step: Sendable {
        enum Outcome: String, Sendable {
            case done, failed, unfinished
        }

        let place: StepPlace
        /// The number of the page on which the step began; nil before the first one.
        let page: Int?
        var outcome = Outcome.unfinished
    }

    /// The steps in the order in which they began.
    let steps: [Step]
    /// Nil when the script went to its end.
    let failure: RunFailure?
    /// The number of recorded exchanges that were used.
    let used: Int
    /// The names of submitted values that the recording hides.
    let hidden: [String]
    let trace: Trace

    /// The longest replay: a script that waits for a person would wait for ever.
    private static let limit: Duration = .seconds(60)

    /// Runs the script without a network.
    ///
    /// - Parameter source: the script's text.
    static func run(
        _ script: BankScript, source: String, on archive: HTTPArchive, _ pages: RecordedPages,
        parameters: [String: ParameterValue]
    ) async -> ReplayedRun {
        let recording = ReplayTransport(archive)
        let watch = ReplayWatch { recording.latestPage.flatMap(pages.number) }
        let recorder = TraceRecorder(script, source: source)
        let answers = ReplayAnswers()
        let services = HostServices(
            credentials: answers, person: answers, downloads: FolderSink(FileManager.default.temporaryDirectory),
            observer: Observers([watch, recorder]))
        let runner = ScriptRunner(services: services, limit: limit) { script in
            recorder.watching(
                try HTMLNavigationEngine(
                    for: script,
                    configuration: EngineConfiguration(transport: recording) { recorder.record($0) }))
        }
        var failure: RunFailure?
        do throws(RunFailure) {
            let document = try await runner.run(script, parameters: parameters)
            try? FileManager.default.removeItem(at: document.file)
        } catch {
            failure = error
        }
        return ReplayedRun(
            steps: watch.steps, failure: failure, used: recording.used, hidden: recording.hidden,
            trace: Trace(recorder))
    }
}

/// Notes each step with its outcome, and the page on which it began.
private final class ReplayWatch: RunObserver {
    private struct State {
        var steps: [ReplayedRun.Step] = []
        /// The indices of the steps that have not ended, the outermost first.
        var open: [Int] = []
    }

    private let state = Mutex(State())
    private let page: @Sendable () -> Int?

    init(page: @escaping @Sendable () -> Int?) { self.page = page }

    var steps: [ReplayedRun.Step] { state.withLock { $0.steps } }

    func observe(_ event: RunEvent) {
        switch event {
        case .stepBegan(let place):
            let step = ReplayedRun.Step(place: place, page: page())
            state.withLock { state in
                state.open.append(state.steps.count)
                state.steps.append(step)
            }
        case .stepEnded: end(.done)
        case .stepFailed: end(.failed)
        default: break
        }
    }

    private func end(_ outcome: ReplayedRun.Step.Outcome) {
        state.withLock { state in
            guard let step = state.open.popLast() else { return }
            state.steps[step].outcome = outcome
        }
    }
}
