import Selectors

/// Reads a script without running it and says what cannot work, what must not be, and what will break soon.
public struct ScriptLint {
    private let script: BankScript
    private var findings: [Finding] = []

    /// Captures by name, true for secret ones, as far as the walk has come.
    private var captured: [String: Bool] = [:]
    private var everCaptured: Set<String>

    public static func findings(in script: BankScript) -> [Finding] {
        var lint = ScriptLint(script)
        lint.run()
        return lint.findings
    }

    private init(_ script: BankScript) {
        self.script = script
        everCaptured = Set(script.steps.allActions.compactMap { if case .capture(let step) = $0 { step.name } else { nil } })
    }

    private mutating func run() {
        checkOrigins()
        if script.steps.isEmpty {
            report("no-steps", .error, "the script has no steps", at: nil)
        }
        walk(script.steps)
        for interruption in script.interruptions {
            check(interruption.condition, at: interruption.mark)
            if case .pass(let steps) = interruption.response { walk(steps) }
        }
        if !script.steps.isEmpty, !Self.alwaysDownloads(script.steps) {
            report(
                "no-download", .error, "there is a way through the script that ends without a download",
                hint: "add a download step to every branch", at: script.steps.last?.mark)
        }
        walk(script.finally)
    }

    mutating func report(
        _ rule: String, _ severity: Finding.Severity, _ message: String, hint: String? = nil, at mark: Mark?
    ) {
        findings.append(Finding(rule, severity, message, hint: hint, at: mark))
    }

    private mutating func checkOrigins() {
        if script.origins.isEmpty {
            report("no-origin", .error, "the script names no origin", hint: "origins: [https://bank.example]", at: nil)
        }
        for origin in script.origins {
            let isSecure = origin.hasPrefix("https://")
            let rest = origin.drop { $0 != "/" }.dropFirst(2)
            guard isSecure || origin.hasPrefix("http://"), !rest.isEmpty, !rest.contains(where: "/?#@ ".contains) else {
                report(
                    "origin", .error, "“\(origin)” is not an origin", hint: "write scheme and host: https://bank.example",
                    at: nil)
                continue
            }
            if !isSecure, !script.isForTesting {
                report(
                    "plain-http", .error, "“\(origin)” is not https",
                    hint: "only a script for testing may use http, and only to this machine", at: nil)
            }
        }
    }

    private mutating func walk(_ steps: [Step]) {
        var isReachable = true
        for step in steps {
            if !isReachable {
                report("unreachable", .error, "this step is never reached: \(step.action.words)", at: step.mark)
                break
            }
            check(step.action, at: step.mark)
            if case .fail(_, let condition, _) = step.action, condition.constant == true { isReachable = false }
            if case .expect(let condition) = step.action, condition.constant == false { isReachable = false }
        }
    }

    private mutating func check(_ action: Action, at mark: Mark?) {
        switch action {
        case .open(let reference): check(reference, at: mark)
        case .follow(let locator), .press(let locator), .enter(let locator), .check(let locator, _):
            check(locator, at: mark)
        case .fill(let field, let value):
            check(field, at: mark)
            check(value, at: mark)
        case .choose(let list, let option):
            check(list, at: mark)
            check(option, at: mark)
        case .secondFactor(let step): check(step, at: mark)
        case .expect(let condition), .fail(_, let condition, _): check(condition, at: mark)
        case .when(let condition, let steps, let otherwise):
            check(condition, at: mark)
            if let constant = condition.constant {
                report(
                    "unreachable", .error, "the condition is always \(constant); one of its branches is never reached",
                    at: mark)
            }
            let before = captured
            walk(steps)
            let inThen = captured
            captured = before
            walk(otherwise)
            // Only what both branches capture is there afterwards.
            captured = captured.filter { inThen[$0.key] != nil }
        case .search(let search):
            check(search.target, at: mark)
            check(search.next, at: mark)
        case .capture(let capture):
            check(capture, at: mark)
            captured[capture.name] = capture.isSecret
        case .request(let request): check(request, at: mark)
        case .waitUntil(let wait):
            if let poll = wait.poll { check(poll, at: mark) }
            check(wait.condition, at: mark)
            checkLimit(wait.limit, at: mark)
        case .download(let download):
            switch download.source {
            case .control(let locator): check(locator, at: mark)
            case .open(let reference): check(reference, at: mark)
            case .request(let request): check(request, at: mark)
            }
        }
    }

    /// Whether every way through the steps passes a download, or ends in a failure.
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

// MARK: - What stands inside a step

extension ScriptLint {
    private mutating func check(_ capture: CaptureStep, at mark: Mark?) {
        switch capture.source {
        case .text(let locator), .attribute(_, let locator): check(locator, at: mark)
        case .template(let template): check(template, at: mark)
        case .header, .cookie, .jsonPath: break
        }
        if let pattern = capture.pattern, (try? Regex(pattern)) == nil {
            report("regex", .error, "“\(pattern)” is not a regular expression", at: mark)
        }
        if script.parameters.contains(where: { $0.name == capture.name }) {
            report("shadowed-name", .error, "“\(capture.name)” is a parameter already", at: mark)
        }
    }

    private mutating func check(_ request: RequestStep, at mark: Mark?) {
        check(request.reference, at: mark)
        for header in request.headers {
            check(header.value, at: mark)
            if case .credential(let name) = header.value {
                report(
                    "secret-place", .error, "the \(name) stands in a header",
                    hint: "a credential goes into a field or a JSON body", at: mark)
            }
        }
        if let body = request.body { check(body, at: mark) }
    }

    private mutating func check(_ body: RequestStep.Body, at mark: Mark?) {
        switch body {
        case .value(let value): check(value, at: mark)
        case .array(let items): for item in items { check(item, at: mark) }
        case .object(let members): for member in members.values { check(member, at: mark) }
        case .number, .bool, .null: break
        }
    }

    private mutating func check(_ step: SecondFactorStep, at mark: Mark?) {
        switch step.method {
        case .code(let field, let picture):
            check(field, at: mark)
            if let picture { check(picture, at: mark) }
        case .push(let condition, _): check(condition, at: mark)
        case .choice(let choices): check(choices, at: mark)
        }
        if let confirm = step.confirm { check(confirm, at: mark) }
        if let question = step.question { check(question, at: mark) }
        checkLimit(step.limit, at: mark)
        if step.sources.isEmpty {
            report("no-answerer", .error, "nobody may answer this second factor", hint: "from: [vault, person]", at: mark)
        }
    }

    private mutating func checkLimit(_ limit: Duration, at mark: Mark?) {
        guard limit <= .zero || limit > .seconds(600) else { return }
        report(
            "limit", .error, "a pause lasts more than nothing and at most 10 min, the longest that a run may take",
            at: mark)
    }

    private mutating func check(_ condition: Condition, at mark: Mark?) {
        switch condition {
        case .shows(let locator): check(locator, at: mark)
        case .says(let text), .titled(let text): check(text, at: mark)
        case .path, .status: break
        case .equal(let left, let right):
            check(left, at: mark)
            check(right, at: mark)
        case .not(let condition): check(condition, at: mark)
        case .all(let conditions), .any(let conditions): for condition in conditions { check(condition, at: mark) }
        }
    }

    private mutating func check(_ value: Value, at mark: Mark?) {
        switch value {
        case .template(let template): check(template, at: mark)
        case .credential: break
        case .captured(let name):
            if captured[name] == nil { report(unknown: name, at: mark) }
        }
    }

    private mutating func check(_ template: Template, at mark: Mark?) {
        let parts: [Template.Part]
        do {
            parts = try template.parts()
        } catch {
            return report("template", .error, "\(error)", at: mark)
        }
        for case .placeholder(let placeholder) in parts {
            for filter in placeholder.filters where TemplateFilter(rawValue: filter.name) == nil {
                let names = TemplateFilter.allCases.map(\.rawValue)
                report(
                    "unknown-filter", .error, "there is no filter “\(filter.name)”",
                    hint: nearest(to: filter.name, among: names).map { "did you mean “\($0)”?" }
                        ?? "there are: \(names.joined(separator: ", "))",
                    at: mark)
            }
            if script.parameters.contains(where: { $0.name == placeholder.name }) { continue }
            switch captured[placeholder.name] {
            case false: continue
            case true:
                report(
                    "secret-place", .error, "the secret “\(placeholder.name)” stands in a text",
                    hint: "a secret goes whole into a field or a JSON body: { captured: \(placeholder.name) }", at: mark)
            case nil: report(unknown: placeholder.name, at: mark)
            }
        }
    }

    private mutating func report(unknown name: String, at mark: Mark?) {
        if everCaptured.contains(name) {
            report("used-before-captured", .error, "“\(name)” is used before it is captured", at: mark)
            return
        }
        let known = script.parameters.map(\.name) + captured.keys.sorted()
        let hint =
            ["username", "password"].contains(name)
            ? "a credential is no text; write $\(name) as a field’s whole value"
            : nearest(to: name, among: known).map { "did you mean “\($0)”?" }
                ?? "known are: \(known.joined(separator: ", "))"
        report("unknown-name", .error, "“\(name)” is not known here", hint: hint, at: mark)
    }

    private mutating func check(_ locator: Locator, at mark: Mark?) {
        for text in locator.texts { check(Template(text), at: mark) }
        checkSelector(in: locator, at: mark)
        if let outer = locator.scope.first { check(outer, at: mark) }
    }

    private mutating func checkSelector(in locator: Locator, at mark: Mark?) {
        switch locator.target {
        case .css(let selector):
            guard !selector.contains("{{") else { return }
            do {
                _ = try SelectorList(parsing: selector)
            } catch {
                report("selector", .error, "“\(selector)”: \(error)", at: mark)
            }
            if let why = fragility(of: selector) {
                report(
                    "fragile-selector", .warning, "“\(selector)” \(why)",
                    hint: "name what the person sees: a label, a button, a row’s text", at: mark)
            }
        case .xpath(let path):
            if path.contains(/\[\d+\]|position\(\)|last\(\)/) {
                report(
                    "fragile-selector", .warning, "“\(path)” counts positions, which change with the page",
                    hint: "name what the person sees: a label, a button, a row’s text", at: mark)
            }
        default: break
        }
        if locator.nth != nil {
            report(
                "fragile-selector", .warning, "\(locator) counts positions, which change with the page", at: mark)
        }
    }

    private func fragility(of selector: String) -> String? {
        if selector.contains(/:nth-|:first-|:last-|:only-/) { return "counts positions, which change with the page" }
        if selector.contains(/[.#](?:css|sc|jss|emotion|Mui)[-_]?[A-Za-z]*-?[0-9a-zA-Z]{5,}|[.#][\w-]*[_-]{1,2}[0-9a-zA-Z]*\d[0-9a-zA-Z]{3,}/) {
            return "names a class that a program made up; it changes with the bank’s next release"
        }
        return nil
    }
}

extension Condition {
    /// What the condition always is, whatever the page; nil when the page decides.
    var constant: Bool? {
        switch self {
        case .equal(let left, let right) where left.names.isEmpty && right.names.isEmpty:
            return left.source == right.source
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
    /// Every action, those inside `when` included.
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
