import Automation
import BankScript
import Foundation
import HTMLAutomation
import HTMLEngine
import Synchronization

/// Records a run for a person to read: the steps with their times, the pages, and the exchanges. It masks everything at
/// once, while the secrets to remove are still alive.
///
/// It learns of events as the run's observer, of exchanges from the engine, and of pages from the ``RecordingEngine``
/// around the engine.
public final class TraceRecorder: RunObserver {
    private let mask: Mask
    private let clock = ContinuousClock()
    private let state: Mutex<State>

    private struct State {
        var record: TraceRecord
        var began: ContinuousClock.Instant
        /// Indices of the steps that have begun and not ended, the outermost first.
        var open: [Int] = []
        var acted: (any PageSnapshot)?
        var arrived: (any PageSnapshot)?
    }

    /// - Parameters:
    ///   - script: the script that will run.
    ///   - source: the script's text, to show beside its steps; nil for a script that is compiled in.
    public init(_ script: BankScript, source: String? = nil, mask: Mask = Mask()) {
        self.mask = mask
        let record = TraceRecord(
            scriptName: script.name, scriptDigest: script.digest.hex,
            source: source.map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) } ?? [],
            startedAt: Date(), keepsDigits: mask.keepsDigits)
        state = Mutex(State(record: record, began: clock.now))
    }

    /// Puts the recorder between the interpreter and its engine.
    public func watching(_ engine: any NavigationEngine) -> any NavigationEngine {
        RecordingEngine(engine, self)
    }

    /// Records an exchange. Pass this function as ``EngineConfiguration/observer``.
    public func record(_ exchange: Exchange) {
        let masked = mask.exchange(exchange)
        state.withLock { state in
            guard let step = state.open.last else { return }
            let ago = Duration.seconds(Date().timeIntervalSince(exchange.startedAt))
            let offset = max(.zero, clock.now - state.began - ago)
            state.record.steps[step].traffic.append(.init(exchange: masked, offset: offset))
        }
    }

    /// Records a message of the page's console. Pass this function as the console of the browser's configuration.
    public func record(_ message: ConsoleMessage) {
        var masked = message
        masked.text = mask.text(message.text)
        masked.place = message.place.map(mask.url)
        change { step in
            guard step.console.count < TraceRecord.mostMessages else { return }
            step.console.append(masked)
        }
    }

    /// True if the trace shows the digits of account numbers and amounts.
    public var keepsDigits: Bool { mask.keepsDigits }

    func acted(on page: (any PageSnapshot)?) {
        guard let page else { return }
        state.withLock { state in
            // A step may look for several things. A page with matches counts more than one without.
            if state.acted == nil || page.matchCount > 0 { state.acted = page }
        }
    }

    func arrived(at page: (any PageSnapshot)?) { state.withLock { $0.arrived = page } }

    public func observe(_ event: RunEvent) {
        switch event {
        case .began: state.withLock { $0.began = clock.now }
        case .stepBegan(let place): begin(place)
        case .stepEnded(let place, let duration): end(place, duration, .done)
        case .stepFailed(let place, let failure, let duration):
            arrived(at: failure.snapshot)
            end(place, duration, .failed(failure))
        case .secondFactor(.answeredByVault): note("the vault answered")
        case .secondFactor(.answeredBy(let source)): note("\(source.rawValue) answered")
        case .secondFactor(.unanswered(let source, let reason)):
            note(mask.text("\(source.rawValue) did not answer: \(reason)"))
        case .secondFactor(.asked(let prompt)): note(mask.text("\(prompt.bankName) asks: \(prompt.question)"))
        case .secondFactor(.answered): note("the person answered")
        case .captured(let name, let text):
            let capture = TraceRecord.Capture(name: name, text: mask.text(text))
            change { $0.captures.append(capture) }
        case .listedAccounts(let accounts):
            note(
                "the page lists \(accounts.count) accounts: "
                    + accounts.map(\.alias.description).joined(separator: ", "))
        case .downloaded(let document): note("downloaded \(document.bytes) bytes, SHA-256 \(document.sha256)")
        case .warned(_, let words): note(mask.text(words))
        case .ended(let duration): state.withLock { $0.record.duration = duration }
        }
    }

    private func begin(_ place: StepPlace) {
        var place = place
        place.words = mask.text(place.words)
        state.withLock { [place] state in
            keepPages(&state)
            state.record.steps.append(.init(place: place, offset: clock.now - state.began))
            state.open.append(state.record.steps.count - 1)
        }
    }

    private func end(_ place: StepPlace, _ duration: Duration, _ outcome: TraceRecord.Step.Outcome) {
        state.withLock { state in
            keepPages(&state)
            guard let step = state.open.popLast() else { return }
            state.record.steps[step].duration = duration
            state.record.steps[step].outcome = masked(outcome)
        }
    }

    /// Masks the pages seen since the last event, and adds them to the step that is open.
    private func keepPages(_ state: inout State) {
        if let step = state.open.last {
            if let page = state.acted { state.record.steps[step].acted = kept(page) }
            if let page = state.arrived { state.record.steps[step].arrived = kept(page) }
        }
        state.acted = nil
        state.arrived = nil
    }

    private func kept(_ page: any PageSnapshot) -> TraceRecord.Page {
        TraceRecord.Page(
            url: mask.url(page.url), title: mask.text(page.title), status: page.status,
            html: page.sanitised(keepingDigits: mask.keepsDigits), matches: page.matchCount, picture: page.picture)
    }

    private func masked(_ outcome: TraceRecord.Step.Outcome) -> TraceRecord.Step.Outcome {
        guard case .failed(var failure) = outcome else { return outcome }
        failure.message = mask.text(failure.message)
        failure.bankWords = failure.bankWords.map(mask.text)
        failure.candidates = failure.candidates.map(mask.text)
        failure.snapshot = nil
        return .failed(failure)
    }

    private func note(_ words: String) { change { $0.notes.append(words) } }

    private func change(_ body: (inout TraceRecord.Step) -> Void) {
        state.withLock { state in
            guard let step = state.open.last else { return }
            body(&state.record.steps[step])
        }
    }

    var record: TraceRecord { state.withLock { $0.record } }
}
