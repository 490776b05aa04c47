import Selectors

// The parts of a step as YAML.

extension Locator {
    /// The label, if the locator is only a field's label.
    var plainLabel: String? {
        guard case .field(.name(let label)) = target, isBare else { return nil }
        return label
    }

    private var isBare: Bool { hasText == nil && nth == nil && scope.isEmpty && alternatives.isEmpty }

    /// Writes a plain text if the role already says what the locator finds, or the parts by name.
    func written(as role: ScriptNode.Role) -> YAMLText {
        let plain: String? =
            switch (role, target) {
            case (.field, .field(.name(let name))), (.button, .button(.name(let name))),
                (.link, .link(.name(let name))),
                (.control, .control(.name(let name))), (.row, .row(.name(let name))), (.text, .text(.name(let name))):
                name
            case (.css, .css(let selector)): selector
            default: nil
            }
        if let plain, isBare { return .text(plain) }
        return .members(members)
    }

    /// The parts by name.
    var members: [(String, YAMLText)] {
        if !alternatives.isEmpty { return [("any", .items(ways.map { .members($0.members) }))] }
        var members: [(String, YAMLText)] =
            switch target {
            case .css(let selector): [("css", .text(selector))]
            case .xpath(let path): [("xpath", .text(path))]
            case .field(let name): [("field", name.written)]
            case .button(let name): [("button", name.written)]
            case .link(let name): [("link", name.written)]
            case .control(let name): [("control", name.written)]
            case .row(let text): [("row", text.written)]
            case .cell(let header): [("cell", header.written)]
            case .text(let text): [("text", text.written)]
            case .heading(let text): [("heading", text.written)]
            }
        if let hasText { members.append(("containing", hasText.written)) }
        if let nth { members.append(("nth", .bare("\(nth)"))) }
        if let outer = scope.first { members.append(("in", outer.written(as: .row))) }
        return members
    }
}

extension TextMatch {
    var written: YAMLText {
        switch self {
        case .name(let name): .text(name)
        case .exact(let text): .members([("exact", .text(text))])
        case .regex(let pattern): .members([("regex", .text(pattern))])
        }
    }
}

extension Value {
    var written: YAMLText {
        switch self {
        case .template(let template) where template.source.isCredential:
            .members([("template", .text(template.source))])
        case .template(let template): .text(template.source)
        case .credential(let name): .text("$" + name)
        case .captured(let name): .members([("captured", .text(name))])
        case .number(let template): .members([("number", .text(template.source))])
        case .character(of: let name): .members([("$" + name, .text(ScriptNode.characterAtPosition))])
        }
    }
}

extension Condition {
    var written: YAMLText {
        switch self {
        case .shows(let locator):
            if case .text(let selector) = locator.written(as: .css) { return .text(selector) }
            return .members([("shows", locator.written(as: .text))])
        case .says(let text): return .members([("says", .text(text.source))])
        case .titled(let text): return .members([("titled", .text(text.source))])
        case .path(let path): return .members([("path", .text(path))])
        case .status(let range): return .members([("status", .bare(range.written))])
        case .json(let path, let text):
            let expected = text.map { [("is", YAMLText.text($0.source))] } ?? []
            return .members([("json", .text(path.source))] + expected)
        case .equal(let left, let right):
            return .members([("equal", .items([.text(left.source), .text(right.source)]))])
        case .not(let condition): return .members([("not", condition.written)])
        case .all(let conditions): return .members([("all", .items(conditions.map(\.written)))])
        case .any(let conditions): return .members([("any", .items(conditions.map(\.written)))])
        }
    }
}

extension SecondFactorStep {
    var written: YAMLText {
        var members: [(String, YAMLText)] = []
        switch method {
        case .code(let field, let picture):
            members.append(("field", field.written(as: .field)))
            if let picture { members.append(("picture", picture.written(as: .css))) }
        case .push(let condition, let poll, let interval):
            members.append(("push until", condition.written))
            if let poll { members.append(("polling", poll.written)) }
            members.append(("every", interval.written))
        case .choice(let choices): members.append(("choice", choices.written(as: .css)))
        case .captured(let name): members.append(("as", .text(name)))
        }
        members += [("from", .items(sources.map { .text($0.rawValue) })), ("within", limit.written)]
        if tries != 1 { members.append(("tries", .bare("\(tries)"))) }
        if let confirm { members.append(("press", confirm.written(as: .button))) }
        if let question { members.append(("question", .text(question.source))) }
        if let token { members.append(("token", .text(token))) }
        if reloads { members.append(("reload", .bare("true"))) }
        return .members(members)
    }
}

extension SearchStep {
    var written: YAMLText {
        var members: [(String, YAMLText)] = []
        switch pages {
        case .html(let target, let next):
            if case .row(let text) = target.target, target == Locator(.row(text)) {
                members.append(("rows", text.written))
            } else {
                members.append(("for", target.written(as: .row)))
            }
            members.append(("next", next.written(as: .control)))
        case .json(let path, let next, let cursor):
            members += [("json", .text(path.source)), ("next", next.written), ("cursor", .text(cursor))]
        }
        if let last { members.append(("last", last.written)) }
        return .members(members + [("at most", .bare("\(limit) pages"))])
    }
}

extension CaptureStep {
    var written: YAMLText {
        var members: [(String, YAMLText)]
        switch source {
        case .text(let locator): members = locator.members
        case .attribute(let name, let locator): members = locator.members + [("attribute", .text(name))]
        case .header(let name): members = [("header", .text(name))]
        case .cookie(let name): members = [("cookie", .text(name))]
        case .jsonPath(let path): members = [("json", .text(path))]
        case .template(let template): members = [("template", .text(template.source))]
        case .signed(let token): return .members([("sign", token.written)])
        }
        if let pattern { members.append(("matching", .text(pattern))) }
        if let filter { members.append(("filter", .text(filter))) }
        if isSecret { members.append(("secret", .bare("true"))) }
        return .members(members)
    }
}

extension RequestStep {
    var written: YAMLText {
        var members: [(String, YAMLText)] = [(method, .text(reference.source))]
        if !headers.isEmpty { members.append(("headers", .members(headers.map { ($0.name, $0.written) }))) }
        if let basic {
            members.append(
                ("basic", .members([("user", basic.user.written), ("password", basic.password.written)])))
        }
        if !query.isEmpty { members.append(("query", .members(query.map { ($0.name, $0.value.written) }))) }
        if let body { members.append(("body", body.written)) }
        if !form.isEmpty { members.append(("form", .members(form.map { ($0.name, $0.value.written) }))) }
        if expected != 200...299 { members.append(("expecting", .bare(expected.written))) }
        return .members(members)
    }
}

extension RequestStep.Header {
    fileprivate var written: YAMLText {
        switch (scheme, value) {
        case (let scheme?, .captured(let name)):
            .members([("scheme", .text(scheme)), ("captured", .text(name))])
        case (let scheme?, .credential(let name)): .text("\(scheme) $\(name)")
        case (_, .template(let template)) where template.source.schemeAndCredential != nil:
            .members([("template", .text(template.source))])
        default: value.written
        }
    }
}

extension RequestStep.Body {
    var written: YAMLText {
        switch self {
        // Inside a body, `{ template: … }` would be read as an object.
        case .value(.template(let template)): .text(template.source)
        case .value(let value): value.written
        case .number(let number): .bare(Int(exactly: number).map(String.init) ?? String(number))
        case .bool(let bool): .bare(bool ? "true" : "false")
        case .null: .bare("null")
        case .array(let items): .items(items.map(\.written))
        case .object(let members): .members(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.written) })
        }
    }
}

extension SubmitStep {
    var written: YAMLText {
        var members: [(String, YAMLText)] = [("form", form.written(as: .css))]
        if !fields.isEmpty { members.append(("with", .members(fields.map { ($0.name, $0.value.written) }))) }
        return .members(members)
    }
}

extension WaitStep {
    var written: YAMLText {
        var members: [(String, YAMLText)] = [("page", condition.written)]
        if let poll { members.append(("polling", poll.written)) }
        members += [("every", interval.written), ("within", limit.written)]
        if reloads { members.append(("reload", .bare("true"))) }
        return .members(members)
    }
}

extension AccountList {
    var written: YAMLText {
        var members: [(String, YAMLText)]
        switch source {
        case .page(let names): members = [("names", names.written(as: .css))]
        case .answer(let accounts, let name, let id):
            members = [("json", .text(accounts)), ("name", .text(name))]
            if let id { members.append(("id", .text(id))) }
        }
        if let alias { members.append(("alias", .text(alias))) }
        return .members(members)
    }
}

extension DownloadStep {
    var written: YAMLText {
        var rest: [(String, YAMLText)] = (pages.map { [("pages", $0.written)] } ?? []) + content.written
        if limit != Self.defaultLimit {
            let text = limit.isMultiple(of: 1 << 20) ? "\(limit >> 20) MB" : "\(limit)"
            rest.append(("at most", .bare(text)))
        }
        switch source {
        case .control(let control):
            return rest.isEmpty ? control.written(as: .control) : .members(control.members + rest)
        case .open(let reference): return .members([("open", .text(reference.source))] + rest)
        case .request(let request): return .members([("request", request.written)] + rest)
        case .submit(let submit): return .members([("submit", submit.written)] + rest)
        case .encoded(let path):
            return .members([("json", .text(path.source)), ("decode", .text("base64"))] + rest)
        case .printedPage: return .members([("print", .text("page"))] + rest)
        }
    }
}

extension DownloadStep.Content {
    fileprivate var written: [(String, YAMLText)] {
        switch self {
        case .document(.pdf): []
        case .document(let kind): [("as", .text(kind.rawValue))]
        case .zip(let kinds, let name):
            [("as", .text("zip")), ("holding", .items(kinds.map { .text($0.rawValue) }))]
                + (name.map { [("named", .text($0.source))] } ?? [])
        case .transactions(let mapping):
            [
                ("as", .text("transactions")), ("account", .text(mapping.account.source)),
                ("each", .text(mapping.entries.source)), ("entry", .members(mapping.written)),
            ]
        }
    }
}

extension AnswerPages {
    fileprivate var written: YAMLText {
        var members: [(String, YAMLText)] =
            switch next {
            case .link(let path): [("next", .text(path))]
            case .cursor(let path, let parameter): [("next", .text(path)), ("as", .text(parameter))]
            case .offset(let parameter, let items): [("offset", .text(parameter)), ("of", .text(items))]
            }
        members.append(("at most", .bare("\(limit) pages")))
        return .members(members)
    }
}

extension TransactionMapping {
    fileprivate var written: [(String, YAMLText)] {
        var members: [(String, YAMLText)] = []
        for (name, path) in paths where !["outgoing", "pending"].contains(name) { members.append((name, .text(path))) }
        if !currency.hasPrefix("$") { members.append(("currency", .text(currency))) }
        if countsMinorUnits { members.append(("in", .text("minor units"))) }
        if isInverted { members.append(("sign", .text("inverted"))) }
        if let outgoing { members.append(("outgoing", outgoing.written)) }
        if let pending { members.append(("pending", pending.written)) }
        return members
    }
}

extension TransactionMapping.Mark {
    fileprivate var written: YAMLText { .members([("json", .text(path)), ("is", .text(text))]) }
}

extension SignedToken {
    fileprivate var written: YAMLText {
        func written(_ bodies: [String: RequestStep.Body]) -> YAMLText {
            .members(bodies.sorted { $0.key < $1.key }.map { ($0.key, $0.value.written) })
        }
        var members: [(String, YAMLText)] = [(algorithm.rawValue, .text("$" + key))]
        if !header.isEmpty { members.append(("header", written(header))) }
        members += [("claims", written(claims)), ("life", life.written)]
        if skew != Self.usualSkew { members.append(("skew", skew.written)) }
        return .members(members)
    }
}
