import Selectors

/// Checks a script without running it: what cannot work, what is not allowed, and what is likely to break soon.
public struct ScriptLint {
    /// The rule for a secret that is written in the script. Never show the lines that its findings point at.
    public static let secretInScript = "secret-in-script"

    /// The rules for origins whose findings ``ScriptDisclosure/warnings`` has too.
    public static let originRules: Set<String> = ["origin-letters"]

    let script: BankScript
    /// The names of the plug-ins that this program has.
    let plugged: PluggedNames
    private var findings: [Finding] = []

    /// The captures made so far in the walk, by name; true for a secret one.
    var captured: [String: Bool] = [:]
    var everCaptured: Set<String>
    /// The parameters and captures that the walk has met.
    var namesInUse: Set<String> = []
    /// The names that only the step under way knows, such as `cursor`.
    var namesOfStep: Set<String> = []
    /// The names that only the steps for each account and for each month know.
    private(set) var repeatedNames: Set<String> = []
    /// The names of credentials to look for in templates: the usual ones and those that this script uses.
    let credentialNames: [String]

    /// - Parameter plugged: the names of plug-ins that a script may call for.
    public static func findings(in script: BankScript, plugged: PluggedNames = .standard) -> [Finding] {
        var lint = ScriptLint(script, plugged)
        lint.run()
        return lint.findings
    }

    private init(_ script: BankScript, _ plugged: PluggedNames) {
        self.script = script
        self.plugged = plugged
        let used = script.stepsForOnePeriod.allActions.compactMap { action -> String? in
            switch action {
            case .fill(_, .credential(let name)), .choose(_, .credential(let name)): name
            default: nil
            }
        }
        credentialNames = Set(["username", "password", "pin"] + script.credentials + used).sorted()
        everCaptured = Set(
            script.stepsForOnePeriod.allActions.compactMap { action in
                switch action {
                case .capture(let step): step.name
                case .secondFactor(let step): step.capturedName
                default: nil
                }
            })
    }

    private mutating func run() {
        checkHiddenCharacters()
        if !BankIdentifier.isValid(script.id) {
            report(
                "bank-id", .error, "“\(script.id)” is not a bank's identifier", hint: BankIdentifier.hint, at: nil,
                about: script.id)
        }
        if let declaration = script.documentSource {
            checkOrigins()
            checkPins()
            check(declaration)
            return
        }
        checkEngine()
        checkLocale()
        checkParameters()
        checkOrigins()
        checkPins()
        checkSubmissions()
        checkAtOnce()
        checkDialogs()
        if script.steps.isEmpty {
            report(
                "no-steps", .error, "the script has no steps", hint: "begin with - open: /login", at: nil,
                about: "steps")
        }
        walk(script.steps)
        let namedBefore = namesInUse
        namesInUse = []
        repeatedNames = Set(script.accounts?.placeholders ?? [])
        if let accounts = script.accounts { check(accounts) }
        walk(script.forEachAccount)
        let namedByAccounts = namesInUse
        namesInUse = []
        walk(script.forEachPeriod)
        checkAccounts(naming: namedByAccounts, or: namesInUse)
        checkPeriods(naming: namesInUse)
        repeatedNames = []
        namesInUse.formUnion(namedBefore.union(namedByAccounts))
        var conditions: Set<Condition> = []
        for interruption in script.interruptions {
            if !conditions.insert(interruption.condition).inserted {
                report(
                    "unreachable", .error, "an interruption before this one has the same condition",
                    hint: "remove one of them", at: interruption.mark)
            }
            if case .pass(let steps) = interruption.response, steps.isEmpty {
                report(
                    "no-steps", .error, "the interruption has no steps under “pass”, so its page never goes away",
                    hint: "pass: [follow: No, thank you]", at: interruption.mark, about: "pass")
            }
            check(interruption.condition, at: interruption.mark)
            switch interruption.response {
            case .pass(let steps):
                walk(steps)
                checkSignIn(in: steps, of: interruption)
            case .fail(let code, _): check(code, at: interruption.mark)
            }
        }
        let steps = script.stepsForOnePeriod
        let hasDownload = !checkDownloads(steps).isEmpty
        if !steps.isEmpty, !Self.alwaysDownloads(steps) {
            report(
                "no-download", .error,
                hasDownload
                    ? "a path through the script ends without a download" : "the script has no download step",
                hint: hasDownload
                    ? "add a download step to every branch"
                    : "add one at the end of “steps”, for example - download: Open",
                at: steps.last?.mark)
        }
        walk(script.finally)
        checkUnused()
    }

    var hasError: Bool { findings.contains { $0.severity == .error } }

    mutating func report(
        _ rule: String, _ severity: Finding.Severity, _ message: String, hint: String? = nil, at mark: Mark?,
        about subject: String? = nil
    ) {
        let place = mark ?? script.source.map { Mark(file: $0, line: 1) }
        findings.append(Finding(rule, severity, message, hint: hint, at: place, about: subject))
    }

    private mutating func checkOrigins() {
        if script.origins.isEmpty {
            report(
                "no-origin", .error, "the script has no origin", hint: "origins: [https://bank.example]", at: nil,
                about: "origins")
        }
        for warning in ScriptDisclosure(script).warnings {
            report(
                "origin-letters", .warning, warning,
                hint: "compare the name with the one on your bank's letters, letter by letter", at: nil,
                about: "origins")
        }
        for origin in script.origins {
            let isSecure = origin.hasPrefix("https://")
            let rest = origin.drop { $0 != "/" }.dropFirst(2)
            guard isSecure || origin.hasPrefix("http://"), !rest.isEmpty, !rest.contains(where: "/?#@ ".contains) else {
                report(
                    "origin", .error, "“\(origin)” is not an origin",
                    hint: "write scheme and host: https://bank.example", at: nil, about: origin)
                continue
            }
            if !isSecure, !script.isForTesting {
                report(
                    "plain-http", .error, "“\(origin)” is not https",
                    hint: "use https; a script with “testing: true” may use http, but only to this machine", at: nil,
                    about: origin)
            }
        }
    }

    private mutating func walk(_ steps: [Step]) {
        var isReachable = true
        var previous: Action?
        for step in steps {
            if !isReachable {
                report(
                    "unreachable", .error, "this step is never reached: \(step.action.words)",
                    hint: "the step before it always ends the run; remove one of them", at: step.mark)
                break
            }
            check(step.action, at: step.mark)
            checkPrinting(step, after: previous)
            previous = step.action
            if Self.alwaysEnds(step.action) { isReachable = false }
        }
    }

    private mutating func check(_ action: Action, at mark: Mark?) {
        switch action {
        case .open(let reference): checkAddress(reference, at: mark)
        case .follow(let locator), .press(let locator), .enter(let locator), .check(let locator, _):
            check(locator, at: mark)
        case .pressEach(let key, let name):
            checkCredential(name, at: mark)
            checkPlace("digit", in: key, at: mark)
        case .submit(let submit): check(submit, at: mark)
        case .fill(let field, let value):
            if case .character = value { checkPlace("position", in: field, at: mark) } else { check(field, at: mark) }
            check(value, at: mark)
            checkLiteral(value, in: field.texts.joined(separator: " "), at: mark)
        case .choose(let list, let option):
            if case .character = option { checkPlace("position", in: list, at: mark) } else { check(list, at: mark) }
            check(option, at: mark)
            checkLiteral(option, in: list.texts.joined(separator: " "), at: mark)
        case .secondFactor(let step):
            check(step, at: mark)
            if let name = step.capturedName { captured[name] = true }
        case .expect(let condition): check(condition, at: mark)
        case .fail(let code, let condition, _):
            check(code, at: mark)
            check(condition, at: mark)
        case .when(let condition, let steps, let otherwise):
            check(condition, at: mark)
            if let constant = condition.constant {
                report(
                    "unreachable", .error,
                    "the condition is always \(constant), so one of its branches is never reached",
                    hint: "compare with a capture or a parameter: \"{{ year }}\"", at: mark)
            }
            let before = captured
            walk(steps)
            let inThen = captured
            captured = before
            walk(otherwise)
            // After the step, only what both branches capture is available.
            captured = captured.filter { inThen[$0.key] != nil }
        case .search(let search): check(search, at: mark)
        case .capture(let capture):
            check(capture, at: mark)
            captured[capture.name] = capture.isSecret
        case .request(let request): check(request, at: mark)
        case .waitUntil(let wait):
            if let poll = wait.poll {
                check(poll, at: mark)
                checkPolling(poll, at: mark)
            }
            checkInterval(wait.interval, at: mark)
            check(wait.condition, at: mark)
            checkLimit(wait.limit, at: mark)
        case .download(let download):
            checkFileName(download, at: mark)
            checkAnswers(of: download, at: mark)
            switch download.source {
            case .control(let locator): check(locator, at: mark)
            case .open(let reference): checkAddress(reference, at: mark)
            case .request(let request): check(request, at: mark)
            case .submit(let submit): check(submit, at: mark)
            case .encoded(let path): checkJSONPath(path, at: mark)
            case .printedPage: break
            }
        }
    }

    private mutating func check(_ submit: SubmitStep, at mark: Mark?) {
        check(submit.form, at: mark)
        for field in submit.fields {
            check(field.value, at: mark)
            checkLiteral(field.value, in: field.name, at: mark)
        }
    }

    private static func alwaysEnds(_ action: Action) -> Bool {
        switch action {
        case .fail(_, let condition, _): condition.constant == true
        case .expect(let condition): condition.constant == false
        case .when(_, let then, let otherwise):
            then.contains { alwaysEnds($0.action) } && otherwise.contains { alwaysEnds($0.action) }
        default: false
        }
    }

    /// Returns whether every path through the steps reaches a download or ends in a failure.
    private static func alwaysDownloads(_ steps: [Step]) -> Bool {
        steps.contains { step in
            switch step.action {
            case .download: true
            case .fail(_, let condition, _): condition.constant == true
            case .when(_, let steps, let otherwise): alwaysDownloads(steps) && alwaysDownloads(otherwise)
            default: false
            }
        }
    }
}

extension SecondFactorStep {
    var capturedName: String? {
        if case .captured(let name) = method { name } else { nil }
    }
}

extension Condition {
    /// The value of a condition that is the same on every page; nil when it depends on the page.
    var constant: Bool? {
        switch self {
        case .equal(let left, let right) where left == right: return true
        case .equal(let left, let right) where left.names.isEmpty && right.names.isEmpty: return false
        case .shows(let locator) where ["*", "html", "body"].contains(locator.selector): return true
        case .not(let condition): return condition.constant.map { !$0 }
        case .all(let conditions):
            if conditions.contains(where: { $0.constant == false }) { return false }
            return conditions.allSatisfy { $0.constant == true } ? true : nil
        case .any(let conditions):
            if conditions.contains(where: { $0.constant == true }) { return true }
            return conditions.allSatisfy { $0.constant == false } ? false : nil
        default: return nil
        }
    }
}

extension Locator {
    fileprivate var selector: String? { if case .css(let selector) = target { selector } else { nil } }

    /// The texts that may hold templates.
    var texts: [String] {
        var texts: [String] = []
        _ = filling { text in
            texts.append(text)
            return text
        }
        return texts
    }
}

extension [Step] {
    /// Every action, including those inside `when`.
    var allActions: [Action] {
        flatMap { step -> [Action] in
            if case .when(_, let steps, let otherwise) = step.action {
                [step.action] + steps.allActions + otherwise.allActions
            } else {
                [step.action]
            }
        }
    }
}
