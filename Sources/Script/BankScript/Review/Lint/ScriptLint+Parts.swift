import Encodings
import Messages
import Selectors

// Checks of the parts of a step: requests, conditions, values, templates.

extension ScriptLint {
    mutating func check(_ code: ErrorCode, at mark: Mark?) {
        guard !ErrorCode.runFailures.contains(code) else { return }
        report(
            "error-code", .error, "a script cannot fail with \(code.rawValue)",
            hint: "use one of: \(ErrorCode.runFailures.map(\.rawValue).joined(separator: ", "))", at: mark,
            about: code.rawValue)
    }

    mutating func check(_ capture: CaptureStep, at mark: Mark?) {
        switch capture.source {
        case .text(let locator), .attribute(_, let locator): check(locator, at: mark)
        case .template(let template): check(template, at: mark)
        case .jsonPath(let path): checkJSONPath(Template(path), at: mark)
        case .signed(let token): check(token, at: mark)
        case .header, .cookie: break
        }
        if let pattern = capture.pattern { checkRegex(pattern, at: mark) }
        if let filter = capture.filterTemplate {
            namesOfStep = [CaptureStep.valueName]
            check(filter, at: mark)
            namesOfStep = []
        }
        checkCapturedName(capture.name, at: mark)
    }

    mutating func checkCapturedName(_ name: String, at mark: Mark?) {
        let given = Set(script.periodNames).subtracting(StatementPeriod.dayNames)
        if script.parameters.contains(where: { $0.name == name }) || given.contains(name) {
            report(
                "shadowed-name", .error, "“\(name)” is already a parameter", hint: "give the capture another name",
                at: mark, about: name)
        }
        if !name.isIdentifier {
            report(
                "name", .error, "“\(name)” cannot be used as a name in templates",
                hint: "use letters, digits, - and _, and begin with a letter", at: mark, about: name)
        }
    }

    mutating func check(_ request: RequestStep, at mark: Mark?) {
        checkAddress(request.reference, at: mark)
        for header in request.headers { check(header.value, at: mark) }
        if let basic = request.basic {
            check(basic.user, at: mark)
            check(basic.password, at: mark)
            checkLiteral(basic.password, in: "password", at: mark)
        }
        for field in request.query {
            check(field.value, at: mark)
            checkLiteral(field.value, in: field.name, at: mark)
        }
        checkHead(of: request, at: mark)
        if let body = request.body { check(body, at: mark) }
        for field in request.form {
            check(field.value, at: mark)
            checkLiteral(field.value, in: field.name, at: mark)
        }
        for value in request.values {
            guard case .character(of: let name) = value else { continue }
            report(
                "secret-place", .error, "a character of the \(name) has no position in a request",
                hint: "fill the field whose label names the position", at: mark, about: "$\(name)")
        }
    }

    mutating func check(_ body: RequestStep.Body, at mark: Mark?) {
        switch body {
        case .value(let value): check(value, at: mark)
        case .array(let items): for item in items { check(item, at: mark) }
        case .object(let members):
            for (name, member) in members {
                check(member, at: mark)
                if case .value(let value) = member { checkLiteral(value, in: name, at: mark) }
            }
        case .number, .bool, .null: break
        }
    }

    mutating func check(_ search: SearchStep, at mark: Mark?) {
        switch search.pages {
        case .html(let target, let next):
            check(target, at: mark)
            check(next, at: mark)
        case .json(let path, let next, let cursor):
            checkJSONPath(path, at: mark)
            checkJSONPath(Template(cursor), at: mark)
            namesOfStep = [SearchStep.cursorName]
            check(next, at: mark)
            namesOfStep = []
            checkPolling(next, at: mark)
        }
        if let last = search.last { check(last, at: mark) }
    }

    mutating func check(_ step: SecondFactorStep, at mark: Mark?) {
        switch step.method {
        case .code(let field, let picture):
            check(field, at: mark)
            if let picture { check(picture, at: mark) }
        case .push(let condition, let poll, let interval):
            check(condition, at: mark)
            checkInterval(interval, at: mark)
            if let poll {
                check(poll, at: mark)
                checkPolling(poll, at: mark)
            } else if condition.asksJSON {
                report(
                    "push-without-polling", .warning,
                    "the condition asks the JSON answer, but nothing asks the bank for a new one: the page is reloaded",
                    hint: "polling: { GET: /api/approval }", at: mark, about: "push until")
            }
        case .choice(let choices): check(choices, at: mark)
        case .captured(let name): checkCapturedName(name, at: mark)
        }
        if let confirm = step.confirm { check(confirm, at: mark) }
        if let question = step.question { check(question, at: mark) }
        checkLimit(step.limit, at: mark)
        checkTries(of: step, at: mark)
        if let token = step.token, !step.sources.contains(.vault) {
            report(
                "unused-token", .warning, "the token “\(token)” is never used", hint: "add vault to “from”",
                at: mark)
        }
        checkSources(of: step, at: mark)
        if step.sources.isEmpty {
            report(
                "no-answerer", .error, "this second factor has no source for its answer", hint: "from: [vault, person]",
                at: mark,
                about: "from")
        }
    }

    mutating func checkLimit(_ limit: Duration, at mark: Mark?) {
        guard limit <= .zero || limit > .seconds(600) else { return }
        report(
            "limit", .error, "the time limit must be more than 0 s and at most 10 min, the longest that a run may take",
            hint: "within: 2 min", at: mark, about: "within")
    }

    mutating func check(_ condition: Condition, at mark: Mark?) {
        switch condition {
        case .shows(let locator): check(locator, at: mark)
        case .says(let text), .titled(let text): check(text, at: mark)
        case .path(let path):
            if !path.hasPrefix("/") {
                report(
                    "path", .error, "“\(path)” does not begin with a slash, so the condition never holds",
                    hint: "write /\(path)", at: mark, about: path)
            }
        case .status: break
        case .json(let path, let text):
            checkJSONPath(path, at: mark)
            if let text { check(text, at: mark) }
        case .equal(let left, let right):
            check(left, at: mark)
            check(right, at: mark)
        case .not(let condition): check(condition, at: mark)
        case .all(let conditions), .any(let conditions): for condition in conditions { check(condition, at: mark) }
        }
    }

    mutating func check(_ value: Value, at mark: Mark?) {
        switch value {
        case .template(let template), .number(let template): check(template, at: mark)
        case .credential(let name): checkCredential(name, at: mark)
        case .character(of: let name): checkCredential(name, at: mark)
        case .captured(let name):
            namesInUse.insert(name)
            if captured[name] == nil { report(unknown: name, at: mark) }
        }
    }

    /// Reports a password, or a text that looks like one, that the script contains as plain text.
    mutating func checkLiteral(_ value: Value, in field: String, at mark: Mark?) {
        guard case .template(let template) = value, template.names.isEmpty, !template.source.isEmpty,
            Self.asksForSecret(field)
        else { return }
        report(
            Self.secretInScript, .error,
            "the script contains the value for “\(field)” as plain text, for anyone to read",
            hint: "write $password; the phone fills in the value", at: mark, about: template.source)
    }

    private static func asksForSecret(_ field: String) -> Bool {
        let field = field.lowercased()
        return ["password", "passcode", "passphrase", "secret"].contains(where: field.contains)
            || field.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains("pin")
    }

    mutating func check(_ template: Template, at mark: Mark?) {
        let parts: [Template.Part]
        do {
            parts = try template.parts()
        } catch {
            return report(
                "template", .error, "“\(error.template)”: \(error.message)",
                hint: "a placeholder is written “{{ name }}”", at: mark, about: template.source)
        }
        for name in credentialNames where template.source.contains("$\(name)") {
            report(
                "secret-place", .error, "“$\(name)” is part of a text, and a credential cannot be part of one",
                hint: "remove it here, and give it to a field: fill: { Name of the field: $\(name) }", at: mark,
                about: "$\(name)")
        }
        for case .placeholder(let placeholder) in parts {
            for filter in placeholder.filters { check(filter, at: mark) }
            checkFirstFilter(of: placeholder, at: mark)
            namesInUse.insert(placeholder.name)
            if namesOfStep.contains(placeholder.name) || repeatedNames.contains(placeholder.name) { continue }
            let isKnown = script.parameters.contains { $0.name == placeholder.name }
            if isKnown || script.periodNames.contains(placeholder.name) { continue }
            switch captured[placeholder.name] {
            case false: continue
            case true:
                report(
                    "secret-place", .error, "the secret “\(placeholder.name)” is part of a text",
                    hint:
                        "use it as the whole value of a field, or in a JSON body: { captured: \(placeholder.name) }",
                    at: mark, about: placeholder.name)
            case nil: report(unknown: placeholder.name, at: mark)
            }
        }
    }

    private mutating func check(_ filter: Template.Filter, at mark: Mark?) {
        let names = TemplateFilter.allCases.map(\.rawValue)
        if let known = TemplateFilter(rawValue: filter.name) {
            guard let fault = known.fault(of: filter.argument) else {
                if known == .hmac, let key = filter.argument { check(Template("{{ \(key) }}"), at: mark) }
                return
            }
            return report(
                "filter-argument", .error, fault, hint: "for example \(known.example)", at: mark,
                about: filter.argument ?? filter.name)
        }
        report(
            "unknown-filter", .error, "“\(filter.name)” is not a filter",
            hint: nearest(to: filter.name, among: names).map { "did you mean “\($0)”?" }
                ?? "the filters are: \(names.joined(separator: ", "))",
            at: mark, about: filter.name)
    }

    mutating func report(unknown name: String, at mark: Mark?) {
        if everCaptured.contains(name) {
            report(
                "used-before-captured", .error, "“\(name)” is used before it is captured",
                hint: "put the capture step before this one on every path", at: mark, about: name)
            return
        }
        let known = script.parameters.map(\.name) + script.periodNames + captured.keys.sorted()
        let hint =
            script.credentials.contains(name)
            ? "a credential cannot be part of a text; give it to a field: fill: { Name of the field: $\(name) }"
            : nearest(to: name, among: known).map { near in
                near == "month"
                    ? "did you mean “month.name” for its name, or “month” for its number?" : "did you mean “\(near)”?"
            }
                ?? "capture it in an earlier step, for example - capture: { \(name): { css: \".next\", attribute: href } }, "
                + "or use one of: \(known.joined(separator: ", "))"
        report("unknown-name", .error, "“\(name)” is not known here", hint: hint, at: mark, about: name)
    }
}
