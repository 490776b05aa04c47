import Selectors

// The parts of steps as YAML.

extension Locator {
    /// The label, if the locator is only a field's label.
    var plainLabel: String? {
        guard case .field(.name(let label)) = target, isBare else { return nil }
        return label
    }

    private var isBare: Bool { hasText == nil && nth == nil && scope.isEmpty && alternatives.isEmpty }

    /// Writes a plain text if the role already says what the locator finds, or the parts by name.
    public func written(as role: ScriptNode.Role) -> YAMLText {
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
    /// The value as YAML.
    public var written: YAMLText {
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
    /// The condition as YAML.
    public var written: YAMLText {
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
