import Selectors

/// Checks a script without running it: what cannot work, what is not allowed, and what is likely to break soon.
public struct ScriptLint {
    /// The rule for a secret that is written in the script. Never show the lines that its findings point at.
    public static let secretInScript = "secret-in-script"

    /// The rule for a question that a draft left open: “…” where a text belongs.
    public static let openQuestion = "open-question"

    /// The rules for origins whose findings ``ScriptDisclosure/warnings`` has too.
    public static let originRules: Set<String> = ["origin-letters"]

    public let script: BankScript
    /// The names of the plug-ins that this program has.
    let plugged: PluggedNames
    private var findings: [Finding] = []
    /// The locators that the walk has met.
    var locators: [PlacedLocator] = []

    /// The step before the one under way in its list; nil for the first.
    private(set) var previous: Action?
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

    /// Returns what the script looks for on pages: each locator of its steps and conditions, once for each step, in the order in
    /// which lint meets them.
    package static func locators(in script: BankScript, plugged: PluggedNames = .standard) -> [PlacedLocator] {
        var lint = ScriptLint(script, plugged)
        lint.run()
        var met: Set<PlacedLocator> = []
        return lint.locators.filter { met.insert($0).inserted }
    }

    private init(_ script: BankScript, _ plugged: PluggedNames) {
        self.script = script
        self.plugged = plugged
        let actions = script.stepsForOnePeriod.allActions
        let typed = actions.flatMap { $0.kind.sent.flatMap(\.typedValues) }.compactMap(\.credentialName)
        credentialNames = Set(["username", "password", "pin"] + script.credentials + typed).sorted()
        everCaptured = Set(actions.compactMap(\.kind.keptName))
    }

    private mutating func run() {
        checkHiddenCharacters()
        if !BankIdentifier.isValid(script.id) {
            report(
                "bank-id", .error, "“\(script.id)” is not a bank's identifier", hint: BankIdentifier.hint, at: nil,
                about: script.id)
        }
        checkKinds()
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
        checkExchange()
        checkDevice()
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
        checkRefusalOfSignIn()
        checkUnused()
    }

    var hasError: Bool { findings.contains { $0.severity == .error } }

    /// Reports a finding at a step.
    ///
    /// - Parameter subject: the part of the step's text that the finding is about.
    public mutating func report(
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

    mutating func walk(_ steps: [Step]) {
        var isReachable = true
        var previous: Action?
        for step in steps {
            if !isReachable {
                report(
                    "unreachable", .error, "this step is never reached: \(step.action.words)",
                    hint: "the step before it always ends the run; remove one of them", at: step.mark)
                break
            }
            self.previous = previous
            checkStep(step)
            previous = step.action
            if Self.alwaysEnds(step.action) { isReachable = false }
        }
    }

    private mutating func checkStep(_ step: Step) {
        let kind = step.action.kind
        if plugged.steps[kind.writtenName] == nil {
            let names = plugged.steps.names
            report(
                "unknown-step", .error,
                "no step “\(kind.writtenName)” is plugged in; the steps are: \(names.joined(separator: ", "))",
                hint: hint(for: kind.writtenName, among: names), at: step.mark, about: kind.writtenName)
        }
        kind.check(in: &self, at: step.mark)
        if let patience = step.patience { checkLimit(patience, at: step.mark) }
    }

    /// Checks lists of steps of which a run performs one. What follows them may use only what each of them captures.
    mutating func check(branches: [[Step]]) {
        let before = captured
        var kept: [String: Bool]?
        for steps in branches {
            captured = before
            walk(steps)
            kept = kept.map { kept in captured.filter { kept[$0.key] != nil } } ?? captured
        }
        captured = kept ?? before
    }

    /// Checks a text in which a name has a meaning that it has nowhere else.
    mutating func with(_ name: String, _ check: (inout ScriptLint) -> Void) {
        namesOfStep = [name]
        check(&self)
        namesOfStep = []
    }

    private static func alwaysEnds(_ action: Action) -> Bool {
        let blocks = action.kind.blocks
        return action.kind.facts.contains(.endsRun)
            || !blocks.isEmpty && blocks.allSatisfy { $0.steps.contains { alwaysEnds($0.action) } }
    }

    /// Returns whether every path through the steps reaches a download or ends in a failure.
    private static func alwaysDownloads(_ steps: [Step]) -> Bool {
        steps.contains { step in
            let blocks = step.action.kind.blocks
            return step.action.kind.facts.contains(.completesPath)
                || !blocks.isEmpty && blocks.allSatisfy { alwaysDownloads($0.steps) }
        }
    }
}
