import JSON
import Messages
import Selectors
import TextMatching

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
        case .header, .cookie: break
        }
        if let pattern = capture.pattern { checkRegex(pattern, at: mark) }
        checkCapturedName(capture.name, at: mark)
    }

    mutating func checkCapturedName(_ name: String, at mark: Mark?) {
        if script.parameters.contains(where: { $0.name == name }) || script.periodNames.contains(name) {
            report(
                "shadowed-name", .error, "“\(name)” is a parameter already", hint: "give the capture another name",
                at: mark, about: name)
        }
        if !name.isIdentifier {
            report(
                "name", .error, "“\(name)” cannot be named in a template",
                hint: "letters, digits, - and _, a letter first", at: mark, about: name)
        }
    }

    mutating func check(_ request: RequestStep, at mark: Mark?) {
        check(request.reference, at: mark)
        for header in request.headers {
            check(header.value, at: mark)
            if case .credential(let name) = header.value {
                report(
                    "secret-place", .error, "the \(name) stands in a header",
                    hint: "a credential goes into a field or a JSON body", at: mark, about: "$\(name)")
            }
        }
        if let body = request.body { check(body, at: mark) }
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

    mutating func check(_ step: SecondFactorStep, at mark: Mark?) {
        switch step.method {
        case .code(let field, let picture):
            check(field, at: mark)
            if let picture { check(picture, at: mark) }
        case .push(let condition, _): check(condition, at: mark)
        case .choice(let choices): check(choices, at: mark)
        case .captured(let name): checkCapturedName(name, at: mark)
        }
        if let confirm = step.confirm { check(confirm, at: mark) }
        if let question = step.question { check(question, at: mark) }
        checkLimit(step.limit, at: mark)
        if let token = step.token, !step.sources.contains(.vault) {
            report(
                "unused-token", .warning, "the token “\(token)” is never asked for a code", hint: "add vault to from",
                at: mark)
        }
        if step.sources.isEmpty {
            report(
                "no-answerer", .error, "nobody may answer this second factor", hint: "from: [vault, person]", at: mark,
                about: "from")
        }
    }

    mutating func checkLimit(_ limit: Duration, at mark: Mark?) {
        guard limit <= .zero || limit > .seconds(600) else { return }
        report(
            "limit", .error, "a pause lasts more than nothing and at most 10 min, the longest that a run may take",
            hint: "within: 2 min", at: mark, about: "within")
    }

    mutating func check(_ condition: Condition, at mark: Mark?) {
        switch condition {
        case .shows(let locator): check(locator, at: mark)
        case .says(let text), .titled(let text): check(text, at: mark)
        case .path(let path):
            if !path.hasPrefix("/") {
                report(
                    "path", .error, "“\(path)” is no path, so the condition never holds",
                    hint: "a path begins with a slash: /\(path)", at: mark, about: path)
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
        case .template(let template): check(template, at: mark)
        case .credential: break
        case .captured(let name):
            if captured[name] == nil { report(unknown: name, at: mark) }
        }
    }

    /// Reports a password, or a text that looks like one, that the script contains as plain text.
    mutating func checkLiteral(_ value: Value, in field: String, at mark: Mark?) {
        guard case .template(let template) = value, template.names.isEmpty, !template.source.isEmpty,
            Self.asksForSecret(field)
        else { return }
        report(
            Self.secretInScript, .error, "what goes into “\(field)” is written in the script, for everybody to read",
            hint: "write $password; the phone keeps what it stands for", at: mark, about: template.source)
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
                "template", .error, "\(error)", hint: "a place to fill in is written ‘{{ name }}’", at: mark,
                about: template.source)
        }
        for name in credentialNames where template.source.contains("$\(name)") {
            report(
                "secret-place", .error, "“$\(name)” stands in a text, where it is no more than these letters",
                hint: "a credential goes whole into a field or a JSON body", at: mark, about: "$\(name)")
        }
        for case .placeholder(let placeholder) in parts {
            for filter in placeholder.filters { check(filter, at: mark) }
            let isKnown = script.parameters.contains { $0.name == placeholder.name }
            if isKnown || script.periodNames.contains(placeholder.name) { continue }
            switch captured[placeholder.name] {
            case false: continue
            case true:
                report(
                    "secret-place", .error, "the secret “\(placeholder.name)” stands in a text",
                    hint: "a secret goes whole into a field or a JSON body: { captured: \(placeholder.name) }",
                    at: mark, about: placeholder.name)
            case nil: report(unknown: placeholder.name, at: mark)
            }
        }
    }

    private mutating func check(_ filter: Template.Filter, at mark: Mark?) {
        let names = TemplateFilter.allCases.map(\.rawValue)
        guard !names.contains(filter.name) else { return }
        report(
            "unknown-filter", .error, "there is no filter “\(filter.name)”",
            hint: nearest(to: filter.name, among: names).map { "did you mean “\($0)”?" }
                ?? "there are: \(names.joined(separator: ", "))",
            at: mark, about: filter.name)
    }

    mutating func report(unknown name: String, at mark: Mark?) {
        if everCaptured.contains(name) {
            report(
                "used-before-captured", .error, "“\(name)” is used before it is captured",
                hint: "move the capture step in front of this one, on every way here", at: mark, about: name)
            return
        }
        let known = script.parameters.map(\.name) + script.periodNames + captured.keys.sorted()
        let hint =
            ["username", "password"].contains(name)
            ? "a credential is no text; write $\(name) as a field’s whole value"
            : nearest(to: name, among: known).map { "did you mean “\($0)”?" }
                ?? "known are: \(known.joined(separator: ", "))"
        report("unknown-name", .error, "“\(name)” is not known here", hint: hint, at: mark, about: name)
    }
}
