import BankScript
import Foundation
import JSON
import Secrets
import Selectors

/// A ``StepPlace`` that has not been put into words.
struct StepPosition {
    let number: Int
    let depth: Int
    let isFinally: Bool
}

/// For a run whose engine keeps no order of its own.
private actor Solitude {}

/// One run of one script: what it has captured, where it is, what it has found.
actor ScriptExecution {
    enum Captured {
        case text(String)
        case secret(Secret)
    }

    let script: BankScript
    let engine: any NavigationEngine
    let services: HostServices
    /// The engine's own, where it has one.
    private let home: any Actor
    nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }
    /// What templates may name from the beginning.
    private let given: [String: String]

    var captures: [String: Captured] = [:]
    /// What a search found on the page as it stands; what follows is looked for inside it.
    var found: Locator?
    var document: FetchedDocument?
    /// The answer to the latest JSON request, for captures and conditions.
    var answer: JSONValue?
    /// Where the latest JSON request went; a bank without pages is nowhere else.
    var asked: String?
    private var isInterrupted = false
    /// How many pages there have been, and after how many of them the password was given.
    private var pageCount = 0
    private var passwordGiven: Int?
    /// Every secret that was used stays alive to the end of the run, so that the redactor knows it in what comes later.
    private var held: [Secret] = []
    /// Those in locators, which have them as texts.
    private var templates: [String: Template] = [:]

    func hold(_ secret: Secret) { held.append(secret) }

    init(
        script: BankScript, parameters: [String: Int], engine: any NavigationEngine, services: HostServices
    ) {
        self.script = script
        given = parameters.mapValues(String.init).merging(StatementPeriod.values(of: parameters)) { own, _ in own }
        self.engine = engine
        self.services = services
        home = engine.isolation ?? Solitude()
    }

    func performAll() async throws -> FetchedDocument {
        try await perform(script.steps, depth: 0, from: 1)
        guard let document else {
            throw RunFailure(
                .pdfDownloadFailed, message: "the script came to its end without a download; add a download step")
        }
        return document
    }

    /// Failures here are told to the observer and go no further: the statement, or the first failure, is what counts.
    func performFinally() async {
        found = nil
        for (offset, step) in script.finally.enumerated() {
            let position = StepPosition(number: script.steps.count + offset + 1, depth: 0, isFinally: true)
            try? await perform(step, at: position)
        }
    }

    private func perform(_ steps: [Step], depth: Int, from number: Int) async throws {
        for (offset, step) in steps.enumerated() {
            try await perform(
                step,
                at: StepPosition(number: depth == 0 ? number + offset : number, depth: depth, isFinally: false))
        }
    }

    func perform(_ step: Step, at position: StepPosition) async throws {
        let values = templateValues
        let isFollowed = !services.observer.isSilent || !services.gate.isOpen
        let place = isFollowed ? place(of: step, at: position, values) : nil
        if let place, !position.isFinally { try await services.gate.pass(place, engine) }
        let began = ContinuousClock.now
        if let place { services.tell(.stepBegan(place)) }
        do {
            try Task.checkCancellation()
            try await perform(step.action, at: position)
            if step.action.bringsNews, !position.isFinally { try await handleInterruptions(at: position) }
        } catch {
            let place = place ?? self.place(of: step, at: position, values)
            let failure = await explain(error, of: step.action, at: place)
            guard let failure else { throw CancellationError() }
            services.tell(.stepFailed(place, failure, ContinuousClock.now - began))
            throw failure
        }
        if let place { services.tell(.stepEnded(place, ContinuousClock.now - began)) }
    }

    /// - Parameter values: what templates could name when the step began.
    private func place(of step: Step, at position: StepPosition, _ values: [String: String]) -> StepPlace {
        let words = step.action.words { template in
            (try? template.filled(with: values, locale: self.script.locale)) ?? template.source
        }
        return StepPlace(
            number: position.number, depth: position.depth, isFinally: position.isFinally,
            words: Redactor.redact(words), mark: step.mark)
    }

    private func perform(_ action: Action, at place: StepPosition) async throws {
        switch action {
        case .open(let reference):
            try await turn { try await engine.open(try absolute(try fill(reference))) }
        case .follow(let link):
            let link = try locate(link)
            try await turn { try await engine.follow(link) }
        case .press(let button):
            let button = try locate(button)
            try await turn { try await engine.press(button) }
        case .enter(let frame):
            let frame = try locate(frame)
            try await turn { try await engine.enter(frame: frame) }
        case .fill(let field, let value):
            try await engine.fill(try locate(field), with: try await input(value))
        case .choose(let list, let option):
            try await engine.choose(try fill(option), in: try locate(list))
        case .check(let box, let isOn):
            try await engine.check(try locate(box), isOn)
        case .secondFactor(let step):
            try await perform(step)
        case .expect(let condition):
            guard try await holds(condition) else { throw await unmet(condition) }
        case .fail(let code, let condition, let reason):
            if try await holds(condition) { throw await declared(code, reason, by: condition) }
        case .when(let condition, let steps, let otherwise):
            let branch = try await holds(condition) ? steps : otherwise
            try await perform(branch, depth: place.depth + 1, from: place.number)
        case .search(let search):
            try await perform(search)
        case .capture(let capture):
            try await perform(capture)
        case .request(let request):
            try await perform(request)
        case .waitUntil(let wait):
            try await perform(wait)
        case .download(let download):
            try await perform(download)
        }
    }

    /// What was found on a page is gone with the page.
    func turn(_ change: () async throws -> Void) async throws {
        found = nil
        try await change()
        pageCount += 1
        try await outlastTrouble()
    }

    static let passingTroubles = [500, 502, 503, 504]
    static let pausesBetweenTries: [Duration] = [.milliseconds(300), .seconds(1)]

    /// A server's passing trouble (RFC 9110, section 15.6): a page that can be requested again is, twice at most.
    private func outlastTrouble() async throws {
        for pause in Self.pausesBetweenTries {
            guard let status = await engine.glimpse()?.status, Self.passingTroubles.contains(status),
                try await pending() == nil
            else { return }
            try await services.clock.sleep(for: pause)
            do {
                try await engine.reload()
            } catch let error as EngineError where error.kind == .other {
                return
            }
        }
    }

    private func handleInterruptions(at place: StepPosition) async throws {
        guard !isInterrupted else { return }
        isInterrupted = true
        defer { isInterrupted = false }
        // A page that was got rid of may have another one behind it; a bank that loops ends at the count.
        for _ in 0..<8 {
            guard let interruption = try await pending() else { return }
            switch interruption.response {
            case .fail(let code, let reason): throw await declared(code, reason, by: interruption.condition)
            case .pass(let steps): try await perform(steps, depth: place.depth + 1, from: place.number)
            }
        }
        throw RunFailure(.navigationFailed, message: "the bank went on interrupting after eight pages were passed")
    }

    /// In the middle of a step: only what ends the run.
    func endIfInterrupted() async throws {
        guard let interruption = try await pending(), case .fail(let code, let reason) = interruption.response else {
            return
        }
        throw await declared(code, reason, by: interruption.condition)
    }

    /// The first declared interruption that the page shows.
    func pending() async throws -> Interruption? {
        let page = AskedPage(await engine.glimpse())
        guard page.page != nil || answer != nil else { return nil }
        return try await firstMet(script.interruptions, on: page)
    }
}

extension ScriptExecution {
    /// What templates may name: the parameters, and the captures that are no secret.
    var templateValues: [String: String] {
        var values = given
        for case (let name, .text(let text)) in captures { values[name] = text }
        return values
    }

    func fill(_ template: Template) throws -> String {
        guard template.hasPlaces else { return template.source }
        return try template.filled(with: templateValues, locale: script.locale)
    }

    /// The locator with its templates filled in, inside what was found unless it says otherwise.
    func locate(_ locator: Locator) throws -> Locator {
        let values = templateValues
        let filled = try locator.filling { text throws(TemplateError) in
            try template(text).filled(with: values, locale: self.script.locale)
        }
        guard let found, filled.scope.isEmpty else { return filled }
        return filled.within(found)
    }

    private func template(_ text: String) -> Template {
        if let known = templates[text] { return known }
        let template = Template(text)
        if template.hasPlaces { templates[text] = template }
        return template
    }

    /// How many pages ago the password was given, on a page that asks for it as at the sign-in; nil on any other.
    func pagesSincePassword() async -> Int? {
        guard let passwordGiven, passwordGiven < pageCount,
            let fields = try? await engine.texts(.css("input[type=password]")), fields.count == 1
        else { return nil }
        return pageCount - passwordGiven
    }

    func absolute(_ reference: String) throws -> String {
        guard reference.hasPrefix("/"), !reference.hasPrefix("//") else { return reference }
        guard let home = script.origins.first else {
            throw RunFailure(.navigationFailed, message: "the script names no origin; add `origins` to it")
        }
        return home + reference
    }

    func input(_ value: Value) async throws -> EngineInput {
        switch value {
        case .template(let template): return .text(try fill(template))
        case .credential(let name):
            guard let secret = try await services.credentials.credential(named: name, forBank: script.id) else {
                throw RunFailure(
                    .bankLoginFailed, reason: .credentialMissing,
                    message: "no \(name) is stored for \(script.name); run `countersign phone setup`")
            }
            hold(secret)
            if name != "username" { passwordGiven = pageCount }
            return .secret(secret)
        case .captured(let name):
            switch captures[name] {
            case .text(let text): return .text(text)
            case .secret(let secret): return .secret(secret)
            case nil: throw RunFailure(.navigationFailed, message: "“\(name)” was used before it was captured")
            }
        }
    }
}

extension Action {
    /// Whether there is another page, or answer, behind the step than before it.
    fileprivate var bringsNews: Bool {
        switch self {
        case .open, .follow, .press, .enter, .secondFactor, .waitUntil, .request: true
        default: false
        }
    }
}
