import BankScript
import Foundation
import Secrets
import Synchronization

/// The end of a run, behind which a plug-in that was left behind gets nothing of the run any more, and what it brings is ignored.
final class RunEnd: Sendable {
    private struct State {
        var isStopped = false
        var isOver = false
        var leftBehind: String?
        var hasGivenCredential = false
        /// The documents that are being handed over, and who waits for that.
        var receiving = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The places of the downloads that the receiver has not taken yet.
        var files: Set<URL> = []
    }

    private let state = Mutex(State())

    /// The steps are over, and no document is taken any more. Leaving the bank may need the run's services.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Nothing is given any more.
    func end() { state.withLock { ($0.isStopped, $0.isOver) = (true, true) } }

    /// Takes no further document, and waits for one that is being handed over: it counts.
    func stopReceiving() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                state.isStopped = true
                if state.receiving > 0 { state.waiting.append(continuation) }
                return state.receiving == 0
            }
            if isFree { continuation.resume() }
        }
    }

    /// Notes the part of the run that did not end when it was told to, and removes the downloads that the receiver has not taken.
    func leave(_ name: String) {
        state.withLock { $0.leftBehind = name }
        removeFiles()
    }

    /// Says that the run's work has ended after all. What a part that was left behind has stored meanwhile is removed.
    func workEnded() { if leftBehind != nil { removeFiles() } }

    private func removeFiles() {
        for file in state.withLock(\.files) { try? FileManager.default.removeItem(at: file) }
    }

    /// Notes where a download is to be stored.
    func note(_ file: URL) { state.withLock { _ = $0.files.insert(file) } }

    /// The part of the run that was left behind; nil when all of it ended.
    var leftBehind: String? { state.withLock { $0.leftBehind } }

    /// True once the run got a credential.
    var hasGivenCredential: Bool { state.withLock { $0.hasGivenCredential } }

    func noteCredential() { state.withLock { $0.hasGivenCredential = true } }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Asks for what the run is given. Behind the end it is not asked for, and what comes behind the end is not given.
    func giving<Value>(_ ask: () async throws -> Value) async throws -> Value {
        guard !isOver else { throw CancellationError() }
        let value = try await ask()
        guard !isOver else { throw CancellationError() }
        return value
    }

    /// Returns a receiver that takes documents until the steps are over. The file of a later one is removed.
    func guarding(_ receive: @escaping DocumentReceiver) -> DocumentReceiver {
        { [self] (place, outcome) throws(RunFailure) in
            let isTaken = state.withLock { state in
                if !state.isStopped { state.receiving += 1 }
                return !state.isStopped
            }
            guard isTaken else {
                if case .success(let document) = outcome { try? FileManager.default.removeItem(at: document.file) }
                throw RunFailure(ending: CancellationError())
            }
            defer { endOfReceiving() }
            try await receive(place, outcome)
            if case .success(let document) = outcome { state.withLock { _ = $0.files.remove(document.file) } }
        }
    }

    private func endOfReceiving() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.receiving -= 1
            guard state.receiving == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension HostServices {
    /// Returns services that give credentials, codes, the person's answers and places for downloads until a run's end, and tell
    /// the observer of nothing behind it.
    func until(_ end: RunEnd) -> HostServices {
        var services = self
        services.credentials = EndingCredentials(base: credentials, end: end)
        services.secondFactor = EndingCodes(base: secondFactor, end: end)
        services.codeSources = codeSources.mapValues { EndingCodes(base: $0, end: end) }
        services.person = EndingPrompt(base: person, end: end)
        services.downloads = EndingDownloads(base: downloads, end: end)
        services.observer = EndingObserver(base: observer, end: end)
        return services
    }
}

private struct EndingCredentials: CredentialProvider {
    let base: any CredentialProvider
    let end: RunEnd

    var adviceForMissing: String? { base.adviceForMissing }

    func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        try await end.giving {
            let credential = try await base.credential(named: name, forBank: bankID)
            if credential != nil { end.noteCredential() }
            return credential
        }
    }
}

private struct EndingCodes: SecondFactorProvider {
    let base: any SecondFactorProvider
    let end: RunEnd

    func code(for challenge: SecondFactorChallenge) async throws -> Secret? {
        try await end.giving { try await base.code(for: challenge) }
    }
}

private struct EndingPrompt: HumanPrompt {
    let base: any HumanPrompt
    let end: RunEnd

    func answer(_ prompt: Prompt) async throws -> Secret {
        try await end.giving { try await base.answer(prompt) }
    }
}

private struct EndingDownloads: DownloadSink {
    let base: any DownloadSink
    let end: RunEnd

    func destination() async throws -> URL {
        let file = try await end.giving { try await base.destination() }
        end.note(file)
        return file
    }
}

private struct EndingObserver: RunObserver {
    let base: any RunObserver
    let end: RunEnd

    var isSilent: Bool { base.isSilent }

    func observe(_ event: RunEvent) {
        if !end.isOver { base.observe(event) }
    }
}

extension RunFailure {
    /// Returns the failure with the part of the run that did not end with it.
    func leaving(behind name: String?) -> RunFailure {
        guard let name else { return self }
        var failure = self
        failure.leavesBehind = true
        failure.message += "; \(name) did not end when it was told to, and was left behind: its author has to mend it"
        return failure
    }

    /// Returns the failure of work that was stopped, with what its own failure says of the credentials. Work that said nothing may
    /// have sent what it was given.
    func counting(_ end: RunEnd, _ own: RunFailure?) -> RunFailure {
        let own = own?.tellsOfCredentials == true ? own : nil
        var failure = self
        failure.hasSentCredentials = own?.hasSentCredentials ?? end.hasGivenCredential
        failure.isSignInUnconfirmed = own?.isSignInUnconfirmed ?? end.hasGivenCredential
        failure.isSignInUnanswered = own?.isSignInUnanswered ?? end.hasGivenCredential
        return failure
    }
}

extension BankScript {
    /// True when the script calls for an engine or a step that does not ship, which may ignore its cancellation.
    var callsPlugins: Bool {
        let passed = interruptions.flatMap { interruption -> [Step] in
            if case .pass(let steps) = interruption.response { steps } else { [] }
        }
        return !ScriptEngine.standard.contains(engine)
            || (stepsForOnePeriod + passed + finally).allActions.contains(where: \.isPlugged)
    }
}

extension BankScript {
    /// Names the engine of a plug-in; nil for one that ships.
    var engineOfPlugin: (@Sendable () -> String)? {
        guard !ScriptEngine.standard.contains(engine) else { return nil }
        return { [engine] in "the engine “\(engine.rawValue)”" }
    }
}

extension Action {
    fileprivate var isPlugged: Bool { !StepList.standard.names.contains(kind.writtenName) }
}

extension ScriptExecution {
    /// The part of the run that is under way, for a sentence: the step that is a plug-in, or else the engine in a step.
    nonisolated var partUnderWay: String {
        guard let action = actionUnderWay.withLock(\.self) else { return "the engine “\(script.engine.rawValue)”" }
        let step = "the step “\(action.kind.writtenName)”"
        return action.isPlugged || ScriptEngine.standard.contains(script.engine)
            ? step : "the engine “\(script.engine.rawValue)” in \(step)"
    }
}
