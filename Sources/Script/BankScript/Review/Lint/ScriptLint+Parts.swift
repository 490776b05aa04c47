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

    /// Notes the name under which later steps find what a step keeps.
    public mutating func keep(_ name: String, isSecret: Bool, at mark: Mark?) {
        checkCapturedName(name, at: mark)
        captured[name] = isSecret
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

    public mutating func check(_ condition: Condition, at mark: Mark?) {
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

    public mutating func check(_ value: Value, at mark: Mark?) {
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
    mutating func checkLiteral(
        _ value: Value, in field: String, _ place: SecretWords.Place = .field, at mark: Mark?
    ) {
        guard case .template(let template) = value, template.names.isEmpty, !template.source.isEmpty else { return }
        guard !["…", "..."].contains(template.source[...].trimmed) else {
            // Beside the right password, the bank would count it as a wrong user name.
            return report(
                Self.openQuestion, .error, "“\(template.source)” would be sent for “\(field)”: a question is open here",
                hint: "write what belongs there, such as $username", at: mark, about: template.source)
        }
        guard place != .list, !SecretWords.isSwitch(template.source) else { return }
        if SecretWords.isPassword(field, place) || SecretWords.isCode(template.source, for: field) {
            report(secret: template.source, for: field, .error, at: mark)
        } else if SecretWords.isKey(template.source, for: field) {
            report(secret: template.source, for: field, .warning, at: mark)
        }
    }

    /// Reports a secret in the query of an address.
    mutating func checkQuery(of reference: Template, at mark: Mark?) {
        guard let parts = try? reference.parts() else { return }
        for case .text(let text) in parts {
            // The script's text has no value where a placeholder makes it.
            for pair in text.split(whereSeparator: { "?&#;".contains($0) }) {
                let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
                guard halves.count == 2 else { continue }
                checkLiteral(.template(Template(halves[1])), in: halves[0], .name, at: mark)
            }
        }
    }

    mutating func report(
        secret: String, for field: String, _ severity: Finding.Severity, at mark: Mark?
    ) {
        if severity == .error {
            report(
                Self.secretInScript, .error,
                "the script contains the value for “\(field)” as plain text, for anyone to read",
                hint: SecretWords.isPassword(field)
                    ? "write $password; the phone fills in the value"
                    : "declare it under “credentials” and write $ with its name, or let a step get it: second factor, capture",
                at: mark, about: secret)
        } else {
            report(
                Self.secretInScript, .warning,
                "the script contains what looks like a key for “\(field)”, for anyone to read",
                hint: "if it is yours alone, declare it under “credentials” and write $ with its name", at: mark,
                about: secret)
        }
    }

    /// Checks a text with placeholders.
    public mutating func check(_ template: Template, at mark: Mark?) {
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
                "filter-argument", .error, fault,
                hint: known.suggestion(for: filter.argument).map { "did you mean “\($0)”?" }
                    ?? "for example \(known.example)", at: mark, about: filter.argument ?? filter.name)
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
