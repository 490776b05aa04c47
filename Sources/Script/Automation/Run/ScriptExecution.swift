import BankScript
import Clocks
import Encodings
import FileKinds
import Foundation
import Messages
import Secrets
import Selectors
import Synchronization

/// A ``StepPlace`` without the step's words, which take time to make.
public struct StepPosition: Sendable {
    let number: Int
    let depth: Int
    let isFinally: Bool

    package init(number: Int, depth: Int, isFinally: Bool) {
        self.number = number
        self.depth = depth
        self.isFinally = isFinally
    }
}

/// Isolates a run whose engine has no isolation of its own.
private actor RunIsolation {}

/// One run of one script: its captures, its place on the page, and the steps that change them.
public actor ScriptExecution {
    let script: BankScript
    /// The engine that shows the bank's pages. Change the page inside ``turn(submitting:_:)``.
    public let engine: any NavigationEngine
    let services: HostServices
    /// Checks what the bank sends.
    let files = ForeignFiles()
    /// The engine's own isolation where it has one, so that a run switches no threads.
    private let isolation: any Actor
    public nonisolated var unownedExecutor: UnownedSerialExecutor { isolation.unownedExecutor }
    /// The values that templates may name from the beginning.
    var given: [String: String]

    var captures: [String: Input] = [:]
    /// The element that a search found on the open page. Later steps look inside it.
    var found: Locator?
    /// The documents that were downloaded, or the reasons why they are missing.
    var documents: [DocumentKind: Result<FetchedDocument, RunFailure>] = [:]
    /// The kinds that later months of the account need.
    var later: [MonthYear: Set<DocumentKind>] = [:]
    /// The documents of later months that came in an archive, or the reasons why they are missing.
    var ahead: [MonthYear: [DocumentKind: Result<FetchedDocument, RunFailure>]] = [:]
    /// The places of the documents that came, by the digest of their file.
    var placesByDigest: [String: DocumentPlace] = [:]
    /// The document that was downloaded last.
    package var latestDocument: FetchedDocument?
    /// The kinds to download. The script's other downloads are left out.
    var wanted = Set(DocumentKind.allCases)
    /// True while a download that fails does not end the steps, because others follow.
    var goesOnAfterDownloads = false
    /// The answer to the latest JSON request, for captures and conditions.
    var answer: JSONValue?
    /// The latest answer to a request as a text, where it is markup.
    var answerMarkup: String?
    /// Why the latest answer to a request was not read as JSON.
    var unreadable: String?
    /// The address of the latest JSON request. For a bank without pages, it is the only place to name.
    var asked: String?
    /// The values that only the step under way knows, such as the cursor of a search.
    var valuesOfStep: [String: String] = [:]
    /// The warnings that the observer has.
    private var warnings: Set<String> = []
    /// The headers of the latest JSON answer.
    var answerHeaders: [(name: String, value: String)] = []
    /// The step under way.
    var position = StepPosition(number: 1, depth: 0, isFinally: false)
    var isInterrupted = false
    /// The `fail` steps since the last change of the page.
    var lateFailures: [FailStep] = []
    /// The patience that the step under way asks for.
    var patienceOfStep: Duration?
    var pageCount = 0
    /// The page count at which the password was typed.
    var passwordGiven: Int?
    /// The field into which the password was typed. A page with another one may ask for a memorable word, or for a code.
    var passwordField: Locator?
    /// True once a credential was sent, until a step shows that the bank took it.
    var isSignInUnconfirmed = false
    /// True if no answer came to a credential that was sent.
    var isSignInUnanswered = false
    /// A secret that was typed key by key: the next change of the page may be what sends it.
    var keyed: Set<SubmissionLedger.Item> = []
    /// True for the steps of an exchange: what they send signs in nowhere, and their answers say what became of it.
    var isExchange = false
    /// The bank's refusal of the latest credential or code that was sent.
    var refusal: RefusedSubmission?
    /// The number of one-time codes that the bank refused since a right one, whether the last one that was sent is among
    /// them, and whether there was a right one.
    var refusedCodes = (count: 0, includeLast: false, followRightOne: false)
    /// True after a code that the bank did not refuse, until a step shows whether it was right.
    var isCodeUnconfirmed = false
    /// Secrets that were used. They live until the run ends, so that the redactor knows them in later texts.
    private var held: [Secret] = []
    /// The credentials that an exchange gave, by name.
    private let exchanged: [String: Secret]
    /// True once the bank has answered 401 to one of ``exchanged``.
    var isObtainedRefused: Bool {
        refusal?.status == 401 && ledger.map { !$0.refusedCredentials.isDisjoint(with: exchanged.keys) } ?? false
    }
    /// The state of the exchange as it was kept when the run began; nil without one.
    let grant: Secret?
    /// Nil in the shell, where a person types each step.
    let ledger: SubmissionLedger?
    /// The captures that hold a one-time code.
    var codes: [String: SubmissionLedger.Item] = [:]
    /// The captures that hold a signed token, with the key that signed it.
    var signers: [String: SubmissionLedger.Item] = [:]
    /// The action that began last. Not isolated, because a plug-in that hangs may hold the run.
    nonisolated let actionUnderWay = Mutex<Action?>(nil)
    /// Parsed templates of locators, which hold them as texts.
    var templates: [String: Template] = [:]

    func hold(_ secret: Secret) { held.append(secret) }

    /// Returns what an exchange gave under a name; nil where it gave nothing.
    func obtained(_ name: String) -> Secret? { exchanged[name] }

    /// Keeps the end of the owner's consent, where the latest answer names it.
    func noteConsent() async {
        guard case .until(let path) = script.consent, let answer, let end = ConsentEnd.date(at: path, in: answer) else {
            return
        }
        // An end that another run has noted stays.
        await services.changeConsent(of: script, given: grant) { $0.endsAt = end }
    }

    /// - Parameters:
    ///   - countsSubmissions: stops the run before a credential or a code is sent more often than the script declares.
    ///   - obtained: the credentials that an exchange gave.
    ///   - answer: the answer that opened a session, which the first steps read.
    ///   - grant: the state of an exchange as it was kept when the run began; nil without one.
    package init(
        script: BankScript, parameters: [String: ParameterValue], engine: any NavigationEngine, services: HostServices,
        countsSubmissions: Bool = true, obtained: [String: Secret] = [:], answer: JSONValue? = nil, grant: Secret? = nil
    ) {
        self.script = script
        exchanged = obtained
        self.grant = grant
        self.answer = answer
        ledger = countsSubmissions ? SubmissionLedger { script.limit(of: $0) } : nil
        given = StatementPeriod.texts(of: parameters)
        self.engine = engine
        self.services = services
        isolation = (engine as? any ThreadConfinedEngine)?.isolation ?? RunIsolation()
    }

    /// Fetches the statement of the first account.
    func performAll() async throws -> FetchedDocument {
        if let ledger { await engine.beforeRepeating { try ledger.sendAgain() } }
        // A script for an interface may have no PDF to fetch.
        let kind = script.usualKind
        wanted = [kind]
        try await perform(script.steps, depth: 0, from: 1)
        if script.accounts != nil { try await enter(try await listAccounts(), as: nil) }
        try await perform(script.forEachAccount + script.forEachPeriod, depth: 0, from: script.steps.count + 1)
        return try takeDocument(kind).get()
    }

    /// Hands over the document of a kind, or the reason why it is missing.
    func takeDocument(_ kind: DocumentKind) -> Result<FetchedDocument, RunFailure> {
        if let outcome = documents.removeValue(forKey: kind) { return outcome }
        return .failure(
            RunFailure(
                .pdfDownloadFailed,
                message: kind == .pdf
                    ? "the script ended without a download; add a download step"
                    : "the script ended without a download of a \(kind.rawValue); add a download step with as: "
                        + kind.rawValue))
    }

    /// Runs the steps of `finally`. The observer hears of their failures, but the run's outcome does not change.
    func performFinally() async {
        found = nil
        for (offset, step) in script.finally.enumerated() {
            position = StepPosition(number: script.stepsForOnePeriod.count + offset + 1, depth: 0, isFinally: true)
            // The run may have ended on a page that an interruption leaves.
            try? await handleInterruptions()
            try? await perform(step, at: position)
        }
    }

    func perform(_ steps: [Step], depth: Int, from number: Int) async throws {
        var offset = 0
        while offset < steps.count {
            func position(_ offset: Int) -> StepPosition {
                StepPosition(
                    number: depth == 0 ? number + offset : number, depth: depth, isFinally: self.position.isFinally)
            }
            let row = downloadsInARow(steps[offset...])
            if row.count > 1 {
                try await performSideBySide(row.map { (steps[$0], position($0)) })
                offset = row.upperBound
            } else {
                try await perform(steps[offset], at: position(offset), before: steps.dropFirst(offset + 1))
                offset += 1
            }
        }
    }

    /// - Parameter following: the steps after this one.
    package func perform(
        _ step: Step, at position: StepPosition, before following: ArraySlice<Step> = []
    ) async throws {
        let outer = patienceOfStep
        guard step.patience != outer else { return try await performWaiting(step, at: position, before: following) }
        await wait(within: step.patience)
        do {
            try await performWaiting(step, at: position, before: following)
            await wait(within: outer)
        } catch {
            await wait(within: outer)
            throw error
        }
    }

    private func wait(within patience: Duration?) async {
        patienceOfStep = patience
        await engine.wait(within: patience)
    }

    private func performWaiting(
        _ step: Step, at position: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        // Of a kind that is not asked for nothing is fetched, so nothing is told of it.
        if let download = step.action.as(DownloadStep.self), !wants(download) { return }
        let outer = self.position
        self.position = position
        defer { self.position = outer }
        // The step may change them, and its words are made only when someone reads them.
        let captured = captures
        let isFollowed = !services.observer.isSilent || !services.gate.isOpen
        let place = isFollowed ? place(of: step, at: position, captured) : nil
        if let place, !position.isFinally { try await services.gate.pass(place, engine) }
        let conduct = step.action.conduct
        let began = ContinuousClock.now
        if let place { services.tell(.stepBegan(place)) }
        do {
            try Task.checkCancellation()
            do {
                try await perform(step.action, at: position, before: following)
            } catch let error as EngineError where conduct.contains(.canBeTriedAgain) && error.isAboutElement {
                // What stands in the way may be an interruption that came after the step before.
                guard try await passInterruption() else { throw error }
                try await perform(step.action, at: position, before: following)
            }
            if !conduct.isDisjoint(with: [.bringsPage, .bringsAnswer]) { try await handleInterruptions() }
            if conduct.contains(.checksStatus), try await !isExplained(by: following) {
                try await checkStatus(expecting: step.expected)
            }
            if conduct.contains(.showsRightCode) { endCountOfRefusedCodes() }
            if conduct.contains(.confirmsSignIn), !isInterrupted {
                isSignInUnconfirmed = false
                isSignInUnanswered = false
            }
        } catch {
            let isInDoubt = isCodeUnconfirmed
            isCodeUnconfirmed = false
            let place = place ?? self.place(of: step, at: position, captured)
            let failure = await explain(error, of: step.action, at: place)
            guard let failure else { throw CancellationError() }
            // A bank that takes no more codes says so on another page than the one that asked.
            if isInDoubt, failure.reason == .wrongCode {
                refusedCodes.count += 1
                refusedCodes.includeLast = true
            }
            services.tell(.stepFailed(place, failure, ContinuousClock.now - began))
            if let download = step.action.as(DownloadStep.self), note(failure, of: download) { return }
            throw failure
        }
        if let place { services.tell(.stepEnded(place, ContinuousClock.now - began)) }
    }

    /// Begins to count refused codes anew: a step of the script went on behind the last code, so that one was right.
    ///
    /// The page after a code alone proves nothing. It may say that the account is locked.
    private func endCountOfRefusedCodes() {
        guard isCodeUnconfirmed, !isInterrupted else { return }
        isCodeUnconfirmed = false
        refusedCodes = (count: 0, includeLast: false, followRightOne: true)
    }

    /// - Parameter captured: the captures when the step began.
    func place(of step: Step, at position: StepPosition, _ captured: [String: Input]) -> StepPlace {
        let values = templateValues(with: captured)
        let words = step.action.words { template in
            (try? template.filled(with: values, locale: self.script.locale)) ?? template.source
        }
        return StepPlace(
            number: position.number, depth: position.depth, isFinally: position.isFinally,
            words: Redactor.redact(words).cut(to: Self.longestWords), mark: step.mark)
    }

    /// A document in its own address would fill a screen.
    private static let longestWords = 400

    /// Tells the observer about something that the script's author should look at.
    func warn(_ words: String) {
        guard warnings.insert(words).inserted else { return }
        services.tell(.warned(position.number, sanitised(words)))
    }

    private func perform(
        _ action: Action, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        actionUnderWay.withLock { $0 = action }
        guard let step = action.kind as? any PerformedStep else {
            throw RunFailure(
                .navigationFailed,
                message:
                    "this program cannot perform the step “\(action.kind.writtenName)”; run the script with a program "
                    + "that has the plug-in")
        }
        try await step.perform(in: self, at: place, before: following)
    }
}

extension ScriptExecution {
    /// Types a value into a field. A credential counts as sent when the page is submitted.
    public func type(_ value: Value, into field: Locator) async throws {
        try await engine.fill(try await locateShown(field), with: try await input(value))
        if case .credential(let name) = value, name != "username" { passwordField = field }
        ledger?.type(items(of: value))
    }

    /// Fills in the values that a form is submitted with. They count as typed into the open page.
    func typed(_ fields: [FormField]) async throws -> [(name: String, value: Input)] {
        var made: [(name: String, value: Input)] = []
        for field in fields {
            made.append((field.name, try await input(field.value)))
            ledger?.type(items(of: field.value))
        }
        return made
    }
}

extension EngineError {
    /// The page has not what a step uses, or keeps a person from using it. Nothing was sent.
    var isAboutElement: Bool { kind == .notFound || kind == .notFillable }
}

extension String {
    /// The text, cut with its whole length told if it is longer.
    fileprivate func cut(to limit: Int) -> String {
        count <= limit ? self : "\(prefix(limit))… (\(count) characters)"
    }
}
