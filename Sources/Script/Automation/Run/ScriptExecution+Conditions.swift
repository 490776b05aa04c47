import BankScript
import Clocks
import Encodings
import Foundation
import Machine
import Messages
import Selectors

extension ScriptExecution {
    func holds(_ condition: Condition) async throws -> Bool {
        try await holds(condition, on: openPage)
    }

    /// Evaluates a condition. This is the one place that knows what each kind of condition means.
    func holds(_ condition: Condition, on subject: any ConditionSubject) async throws -> Bool {
        switch condition {
        case .shows(let locator): return try await subject.finds(try await locate(locator))
        case .says(let text): return try subject.text.contains(try fill(text))
        case .titled(let text): return try subject.title.contains(try fill(text))
        case .path(let path):
            guard let current = try subject.path else { return false }
            return path.hasSuffix("*") ? current.hasPrefix(path.dropLast()) : current == path
        case .status(let range): return try range.contains(subject.status)
        case .json(let path, let text):
            guard let json = subject.json else { return false }
            let values = try JSONPath(try fill(path)).values(in: json).filter { $0 != .null }
            guard let text else { return !values.isEmpty }
            let wanted = try fill(text)
            return values.contains { ($0.stringValue ?? $0.compactText()) == wanted }
        case .equal(let left, let right): return try fill(left) == fill(right)
        case .not(let condition): return try await !holds(condition, on: subject)
        case .all(let conditions):
            for condition in conditions where try await !holds(condition, on: subject) { return false }
            return true
        case .any(let conditions):
            for condition in conditions where try await holds(condition, on: subject) { return true }
            return false
        }
    }

    /// Returns the first interruption whose condition holds. It may be asked before there is a page.
    func firstMet(_ interruptions: [Interruption], on page: OpenPage) async throws -> Interruption? {
        for interruption in interruptions {
            let condition = interruption.condition
            if page.page == nil, condition.needsPage { continue }
            if try await holds(condition, on: page) { return interruption }
        }
        return nil
    }

    /// The page that the engine has open, as it stands.
    var openPage: OpenPage {
        get async { OpenPage(await engine.page(), answer: answer, of: engine) }
    }

    /// The latest JSON answer, or the open page if it is JSON.
    package var latestJSON: JSONValue? {
        get async { await openPage.json }
    }

    var page: EnginePage {
        get async throws { try await openPage.opened }
    }

    /// Returns the bank's own words about a condition that holds: the text of what made it true.
    private func words(of condition: Condition) async -> String? {
        switch condition {
        case .shows(let locator):
            guard let located = try? await locate(locator) else { return nil }
            return try? await engine.shownTexts(located).first { !$0.isEmpty }
        case .any(let conditions), .all(let conditions):
            for condition in conditions where (try? await holds(condition)) == true {
                if let words = await words(of: condition) { return words }
            }
            return nil
        case .json(let path, _):
            guard let json = await currentJSON else { return nil }
            let values = (try? JSONPath((try? fill(path)) ?? path.source).values(in: json)) ?? []
            return values.lazy.compactMap(\.ownWords).first ?? json.ownWords
        default:
            return await engine.page()?.explanation
        }
    }

    func unmet(_ condition: Condition) async -> RunFailure {
        let words = condition.words { (try? self.fill($0)) ?? $0.source }
        var failure = RunFailure(.navigationFailed, reason: .layoutChanged, message: "expected that \(words)")
        switch condition {
        case .shows(let locator):
            guard let located = try? await locate(locator) else { break }
            failure.candidates = await nearest(to: located)
        case .path: if let path = await engine.page()?.path { failure.message += "; it is at \(path)" }
        case .titled: if let title = await engine.page()?.title { failure.message += "; it is titled “\(title)”" }
        case .status: if let status = await engine.page()?.status { failure.message += "; it is \(status)" }
        case .json(let path, _):
            let path = (try? fill(path)) ?? path.source
            failure.candidates = await currentJSON?.paths(nearestTo: path) ?? []
            failure.message += "; " + (await unreadableJSON ?? "it does not")
        case .says, .equal, .not, .all, .any: failure.message += "; it does not hold"
        }
        return failure
    }

    /// Makes the failure that the script itself declares.
    func declared(_ code: ErrorCode, _ reason: FailureReason?, by condition: Condition) async -> RunFailure {
        declared(code, reason, saying: await words(of: condition).map(sanitised))
    }

    func declared(_ code: ErrorCode, _ reason: FailureReason?, saying words: String?) -> RunFailure {
        let declared = DeclaredFailure(code, reason)
        let tries = words.flatMap(RunFailure.triesLeft).map { "; \($0.counted("try is", "tries are")) left" } ?? ""
        let next = declared.nextStep(at: script).map { "; \($0)" } ?? ""
        var failure = RunFailure(
            code, reason: reason, message: "\(script.name) \(declared.words(of: script))\(tries)\(next)",
            bankWords: words)
        failure.declaredWords = "\(script.name) \(declared.words(of: script))"
        return failure
    }

    /// Returns what the `fail` steps before the step that failed say about the page by now; nil when they say nothing.
    private func lateFailure() async -> RunFailure? {
        do {
            try await failLate()
            return nil
        } catch {
            return error as? RunFailure
        }
    }

    /// Turns an error of a step into a failure with its place, its page and the bank's own words; nil when the run was
    /// cancelled.
    func explain(_ error: any Error, of action: Action, at place: StepPlace) async -> RunFailure? {
        if error is CancellationError { return nil }
        var failure: RunFailure
        switch error {
        case let known as RunFailure where known.place != nil: return known
        case let known as RunFailure: failure = known
        case let error as EngineError where error.kind == .cancelled: return nil
        case let error as EngineError where error.kind != .notKept:
            if let interruption = try? await pending(), case .fail(let code, let reason) = interruption.response {
                failure = await declared(code, reason, by: interruption.condition)
            } else if let late = await lateFailure() {
                failure = late
            } else {
                failure = RunFailure(error, during: action)
                failure.isOneMonths = error.isMissingOption && choosesPeriod(action)
                // The bank has it no more, or not yet: the script is right, and the page is one behind the sign-in.
                if failure.isOneMonths, error.isMissingPeriod, !isSignInUnanswered, await passwordAgain() == nil {
                    isSignInUnconfirmed = false
                    failure.reason = .statementMissing
                }
            }
        default: failure = RunFailure(ending: error)
        }
        failure.place = place
        if let asked, await engine.page() == nil { failure.page = .init(url: sanitisedURL(asked), title: "") }
        failure.snapshot = await engine.snapshot(outlining: nil)
        if failure.bankWords == nil { failure.bankWords = answer?.ownWords.map(sanitised) }
        if failure.bankWords == nil { failure.bankWords = await engine.page()?.wordsOfError.map(sanitised) }
        if let page = await engine.page() {
            failure.page = .init(url: sanitisedURL(page.url), title: sanitised(page.title))
            if failure.bankWords == nil { failure.bankWords = page.headline.map(sanitised) }
            if !failure.isDeclared, let reason = failure.reason,
                [.layoutChanged, .statementMissing, .searchLimit].contains(reason)
            {
                failure.blame(page, await passwordAgain())
            }
        }
        failure.isSignInUnanswered = isSignInUnanswered
        if let refusal, refusal.explains(failure) {
            failure.follow(from: refusal)
        } else if isSignInUnconfirmed, failure.leavesSignInInDoubt {
            failure.doubtSignIn()
        } else if isSignInUnanswered, !failure.isDeclared {
            failure.message += "; the bank may have refused the credential that was sent"
        }
        failure.message = sanitised(failure.message)
        failure.candidates = failure.candidates.map(sanitised)
        // A failure of one document ends no run: the next step that acts does, with the dialog.
        return failure.concernsOneDocument ? failure : failure.naming(await engine.takeUntoldDialog())
    }
}

extension ScriptExecution {
    /// Returns whether a step chooses the month or the year out of a list.
    private func choosesPeriod(_ action: Action) -> Bool {
        guard case .template(let option) = action.as(ChooseStep.self)?.option else { return false }
        return !Set(option.names).isDisjoint(with: ["month", "year"] + script.periodNames)
    }
}

extension RunFailure {
    /// Returns the number of tries that are left, where the bank's words say it.
    ///
    /// “After 3 attempts your account is locked” says no such thing, so a sentence must say that they are left.
    static func triesLeft(in words: String) -> Int? {
        let remaining =
            /\b(?:left|remain(?:s|ing)?|noch|verbleib\p{L}*|übrig|reste|restant\p{L}*|encore|ancora|rimast\p{L}|rimang\p{L}*|quedan?|restan?|nog)\b|\b(?:more|further|weitere\p{L}*) (?:attempt|try|tries|versuch)/
        let past = /\b(?:after|than|nach|als|après|dopo|después|na)\b/
        let before =
            /\b(\d{1,2}|one|two|three|ein(?:en?)?|zwei|drei|une?|deux|trois|due|tre|uno|dos|tres|een|één|twee|drie) (?:\p{L}+ )?(?:attempt|try|tries|versuch|mal\b|essai|tentativ|intento|poging)/
        let after =
            /(?:attempts?|tries|versuche?|essais?|tentatives?|tentativi|intentos?|pogingen)[\p{L} ]*[:=] ?(\d{1,2})\b/
        for sentence in words.lowercased().split(whereSeparator: { ".!?\n".contains($0) }) {
            guard sentence.contains(remaining), !sentence.contains(past) else { continue }
            if let match = sentence.firstMatch(of: after) ?? sentence.firstMatch(of: before) {
                return Int(match.1) ?? numerals.firstIndex { $0.contains(String(match.1)) }.map { $0 + 1 }
            }
        }
        return nil
    }

    private static let numerals = [
        ["one", "ein", "eine", "einen", "un", "une", "uno", "een", "één"],
        ["two", "zwei", "deux", "due", "dos", "twee"],
        ["three", "drei", "trois", "tre", "tres", "drie"],
    ]

    /// True for a failure that may be the bank's refusal of the credential that was sent last: a page or an answer that the
    /// script does not expect there, such as one of a firewall that counts refusals, too. It is also left open where the next
    /// credential is not to be had.
    fileprivate var leavesSignInInDoubt: Bool {
        guard !isDeclared, [.navigationFailed, .pdfDownloadFailed, .credentialUnavailable].contains(code) else {
            return false
        }
        switch reason {
        case .networkFailed, .timeout: return isSignInUnanswered
        case nil, .layoutChanged, .refusedByBank, .javascriptRequired, .notAPDF, .serverError: return true
        default: return false
        }
    }

    /// Says that the bank may have refused what was sent. The next run would send the same, and a bank counts refusals.
    package mutating func doubtSignIn() {
        let byHand = "sign in by hand once, to see whether the bank takes the credentials"
        let advice =
            switch reason {
            case _ where isSignInUnanswered: ". Before another try, \(byHand)"
            case .refusedByBank: ""
            case nil where code == .credentialUnavailable: ""
            case .serverError: ". Before another try, \(byHand)"
            default: ". Look at the bank's page; if it is an error, name it in the script with fail"
            }
        let doubt =
            isSignInUnanswered
            ? "a credential was on its way, and no answer showed that the bank took it, so the bank may have refused it; "
            : "a credential was sent, and nothing behind the sign-in was seen, so the bank may have refused it; "
        code = .bankLoginFailed
        reason = .signInNotConfirmed
        message = doubt + message + advice
    }

    /// Names the page as the cause when it is an error page, an empty shell or a sign-in form.
    fileprivate mutating func blame(_ page: EnginePage, _ asksForPassword: ScriptExecution.PasswordAgain?) {
        if page.needsJavaScript, !RobotWall.isPage(page) {
            reason = .javascriptRequired
        } else if let refusal = RunFailure(turnedAwayBy: page) {
            reason = refusal.reason
            message = "\(refusal.message). In the script: \(message)"
        } else if page.status >= 500 {
            reason = .serverError
            message = "the bank answered \(page.status); \(message)"
        } else if page.status >= 400 {
            message = "the bank answered \(page.status); \(message)"
        } else if let asksForPassword {
            if asksForPassword == .refused { code = .bankLoginFailed }
            reason = asksForPassword == .refused ? .wrongCredentials : .sessionExpired
            message = "the bank asks for the password again; \(message)"
        }
    }

    fileprivate init(_ error: EngineError, during action: Action) {
        let code: ErrorCode = action.kind.fetchedKinds.isEmpty ? .navigationFailed : .pdfDownloadFailed
        self.init(code, reason: error.reason, message: error.message, candidates: error.candidates)
    }

    /// The failure of a run that an error ended. A cancellation alone is called one, and a document that came and could not be
    /// kept does not put the sign-in in doubt.
    package init(ending error: any Error) {
        switch error {
        case let failure as RunFailure: self = failure
        case is CancellationError: self = .cancelled
        case let error as EngineError where error.kind == .cancelled: self = .cancelled
        case let error as EngineError where error.kind == .notKept: self.init(.inboxWriteFailed, message: error.message)
        case let error as EngineError:
            self.init(.navigationFailed, reason: error.reason, message: error.message, candidates: error.candidates)
        case let error as FileError where error.code == EFBIG:
            self.init(.pdfDownloadFailed, reason: .tooLarge, message: "\(error)")
        case let error as FileError:
            self.init(.inboxWriteFailed, message: "the bank's document could not be kept: \(error)")
        default: self.init(.navigationFailed, message: "\(error)")
        }
        message = sanitised(message)
        candidates = candidates.map(sanitised)
    }

    private static let cancelled = RunFailure(
        .navigationFailed, reason: .cancelled, message: "the run was cancelled before its end")

    /// A failure outside the steps, in an exchange of credentials.
    init(exchangeStopped error: EngineError) {
        self.init(
            .navigationFailed, reason: error.reason,
            message: "the exchange of credentials with the bank failed: \(sanitised(error.message))")
    }
}

extension EngineError {
    fileprivate var reason: FailureReason? {
        switch kind {
        case .notFound, .ambiguous, .notFillable: .layoutChanged
        case .foreignOrigin: .foreignOrigin
        case .insecure: .insecureContent
        case .needsJavaScript: .javascriptRequired
        case .network: .networkFailed
        case .keyMismatch: .keyMismatch
        case .timeout: .timeout
        case .tooLarge: .tooLarge
        case .notHTML, .invalidLocator, .refused, .notKept, .cancelled, .other: nil
        }
    }
}

extension Condition {
    fileprivate var needsPage: Bool {
        switch self {
        case .shows, .says, .titled, .path, .status: true
        case .json, .equal: false
        case .not(let condition): condition.needsPage
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.needsPage)
        }
    }
}
