import Selectors

// What stands inside a step: locators, templates, values.

extension ScriptLint {
    mutating func check(_ capture: CaptureStep, at mark: Mark?) {
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

    mutating func check(_ request: RequestStep, at mark: Mark?) {
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

    mutating func check(_ body: RequestStep.Body, at mark: Mark?) {
        switch body {
        case .value(let value): check(value, at: mark)
        case .array(let items): for item in items { check(item, at: mark) }
        case .object(let members): for member in members.values { check(member, at: mark) }
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
                "no-answerer", .error, "nobody may answer this second factor", hint: "from: [vault, person]", at: mark)
        }
    }

    mutating func checkLimit(_ limit: Duration, at mark: Mark?) {
        guard limit <= .zero || limit > .seconds(600) else { return }
        report(
            "limit", .error, "a pause lasts more than nothing and at most 10 min, the longest that a run may take",
            at: mark)
    }

    mutating func check(_ condition: Condition, at mark: Mark?) {
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

    mutating func check(_ value: Value, at mark: Mark?) {
        switch value {
        case .template(let template): check(template, at: mark)
        case .credential: break
        case .captured(let name):
            if captured[name] == nil { report(unknown: name, at: mark) }
        }
    }

    mutating func check(_ template: Template, at mark: Mark?) {
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
                    hint: "a secret goes whole into a field or a JSON body: { captured: \(placeholder.name) }", at: mark
                )
            case nil: report(unknown: placeholder.name, at: mark)
            }
        }
    }

    mutating func report(unknown name: String, at mark: Mark?) {
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

    mutating func check(_ locator: Locator, at mark: Mark?) {
        for text in locator.texts { check(Template(text), at: mark) }
        checkSelector(in: locator, at: mark)
        if let outer = locator.scope.first { check(outer, at: mark) }
    }

    mutating func checkSelector(in locator: Locator, at mark: Mark?) {
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

    func fragility(of selector: String) -> String? {
        if selector.contains(/:nth-|:first-|:last-|:only-/) { return "counts positions, which change with the page" }
        if selector.contains(
            /[.#](?:css|sc|jss|emotion|Mui)[-_]?[A-Za-z]*-?[0-9a-zA-Z]{5,}|[.#][\w-]*[_-]{1,2}[0-9a-zA-Z]*\d[0-9a-zA-Z]{3,}/
        ) {
            return "names a class that a program made up; it changes with the bank’s next release"
        }
        return nil
    }
}
