import Encodings
import Messages
import Selectors

extension ScriptNode {
    /// The meaning of a plain text where a locator is expected.
    public enum Role: Sendable {
        case field, button, link, control, row, text, css

        func locator(_ written: String) -> Locator {
            switch self {
            case .field: .field(.name(written))
            case .button: .button(.name(written))
            case .link: .link(.name(written))
            case .control: .control(.name(written))
            case .row: .row(.name(written))
            case .text: .text(.name(written))
            case .css: .css(written)
            }
        }
    }

    /// Reads a locator: a plain text is a name in the given role, a mapping names the parts.
    public func locator(as role: Role, besides others: [String] = []) throws(ScriptSyntaxError) -> Locator {
        if let written = scalar { return role.locator(written) }
        let fields = try fields(
            "a locator", besides: others,
            example: "{ button: Weiter }, { link: Weiter } or { css: \".weiter\" }")
        if let any = fields["any"] {
            let own = Self.targets + ["containing", "in", "nth"]
            guard own.allSatisfy({ fields[$0] == nil }) else {
                throw error("“any” stands alone", hint: "any: [{ button: Sign in }, { css: \"#login\" }]")
            }
            var ways: [Locator] = []
            for item in try any.items("any") { ways.append(try item.locator(as: role)) }
            guard var locator = ways.first, ways.count > 1, ways.allSatisfy(\.alternatives.isEmpty) else {
                throw any.error("“any” must list at least two locators, each without another “any”")
            }
            locator.alternatives = Array(ways.dropFirst())
            return locator
        }
        let given = Self.targets.filter { fields[$0] != nil }
        guard let kind = given.first, given.count == 1, let value = fields[kind] else {
            throw error("a locator must have exactly one of: \(Self.targets.joined(separator: ", "))")
        }
        var locator = try value.target(kind)
        if let containing = fields["containing"] { locator = locator.containing(try containing.textMatch()) }
        if let nth = fields["nth"] { locator = locator.nth(try nth.whole("nth", in: 1...10_000)) }
        if let outer = fields["in"] { locator = locator.within(try outer.locator(as: .row)) }
        return locator
    }

    private func target(_ kind: String) throws(ScriptSyntaxError) -> Locator {
        switch kind {
        case "css": .css(try text("a selector"))
        case "xpath": .xpath(try text("a path"))
        case "field": .field(try textMatch())
        case "button": .button(try textMatch())
        case "link": .link(try textMatch())
        case "control": .control(try textMatch())
        case "row": .row(try textMatch())
        case "cell": .cell(header: try textMatch())
        case "heading": .heading(try textMatch())
        default: .text(try textMatch())
        }
    }

    /// Reads a name, `{ exact: … }` or `{ regex: … }`.
    public func textMatch() throws(ScriptSyntaxError) -> TextMatch {
        if let name = scalar { return .name(name) }
        let fields = try fields("a name")
        if let exact = fields["exact"], fields.count == 1 { return .exact(try exact.text("exact")) }
        if let regex = fields["regex"], fields.count == 1 { return .regex(try regex.text("regex")) }
        throw error("a name must be a text, or have either “exact” or “regex”")
    }

    /// Reads a text with placeholders.
    public func template(_ what: String) throws(ScriptSyntaxError) -> Template {
        Template(try text(what))
    }

    /// Reads a value: `$username` is a credential, `{ captured: token }` is a capture, and `{ template: $5 }` or any
    /// other text is a template.
    public func value() throws(ScriptSyntaxError) -> Value {
        if let text = scalar {
            return text.isCredential ? .credential(String(text.dropFirst())) : .template(Template(text))
        }
        if let (key, part) = try members("a value").first, try members("a value").count == 1,
            let name = key.scalar, name.isCredential
        {
            guard part.scalar == Self.characterAtPosition else {
                throw part.error("a credential can be followed by one thing only", hint: "$word: character at position")
            }
            return .character(of: String(name.dropFirst()))
        }
        let fields = try fields("a value")
        if let template = fields["template"], fields.count == 1 {
            return .template(try template.template("a template"))
        }
        guard fields.count == 1, let name = fields["captured"] else {
            throw error("a value must be a text, a $credential or a captured name")
        }
        return .captured(try name.text("a capture's name"))
    }

    package func errorCode() throws(ScriptSyntaxError) -> ErrorCode {
        let name = try text("an error code")
        guard let code = ErrorCode.runFailures.first(where: { $0.rawValue == name }) else {
            throw error(
                "“\(name)” is not an error code", hint: Self.hint(name, ErrorCode.runFailures.map(\.rawValue)))
        }
        return code
    }

    package func failureReason() throws(ScriptSyntaxError) -> FailureReason {
        let name = try text("a reason")
        guard let reason = FailureReason(rawValue: name) else {
            if let meant = FailureReason(meantBy: name) {
                throw error("“\(name)” is not a reason", hint: "did you mean “\(meant.rawValue)”?")
            }
            throw error("“\(name)” is not a reason", hint: Self.hint(name, FailureReason.allCases.map(\.rawValue)))
        }
        return reason
    }

    private static func hint(_ word: String, _ words: [String]) -> String {
        nearest(to: word, among: words).map { "did you mean “\($0)”?" }
            ?? "choose one of: \(words.joined(separator: ", "))"
    }

    /// Reads a condition: a plain text is a CSS selector, a mapping names the kind.
    public func condition() throws(ScriptSyntaxError) -> Condition {
        if let selector = scalar { return .shows(.css(selector)) }
        var fields = try fields("a condition")
        if let path = fields["json"], let text = fields.removeValue(forKey: "is"), fields.count == 1 {
            return .json(try path.template("a JSONPath"), is: try text.template("a text"))
        }
        guard let (kind, value) = fields.first, fields.count == 1, kind != "is" else {
            let given = Self.conditions.filter { fields[$0] != nil }
            if given.count > 1 {
                throw error(
                    "a condition has one test, but this has \(given.map { "“\($0)”" }.joined(separator: " and "))",
                    hint:
                        "put each in braces of its own: all: [ { \(given[0]): … }, { \(given[1]): … } ] if both must hold, any: […] if one is enough"
                )
            }
            throw error("a condition must have exactly one of: \(Self.conditions.joined(separator: ", "))")
        }
        switch kind {
        case "shows": return .shows(try value.locator(as: .text))
        case "says": return .says(try value.template("says"))
        case "titled": return .titled(try value.template("titled"))
        case "path": return .path(try value.text("path"))
        case "status": return .status(try value.range("status"))
        case "json": return .json(try value.template("a JSONPath"), is: nil)
        case "not": return .not(try value.condition())
        case "all": return .all(try value.conditions())
        case "any": return .any(try value.conditions())
        default:
            let sides = try value.items("equal")
            guard sides.count == 2 else {
                throw value.error("“equal” must have two sides", hint: "[\"{{ a }}\", \"b\"]")
            }
            return .equal(try sides[0].template("a side"), try sides[1].template("a side"))
        }
    }

    private func conditions() throws(ScriptSyntaxError) -> [Condition] {
        var result: [Condition] = []
        for item in try items("conditions") { result.append(try item.condition()) }
        return result
    }
}

extension String {
    /// True if the text is a dollar sign and a name: the form in which a value names a credential.
    package var isCredential: Bool { hasPrefix("$") && String(dropFirst()).isIdentifier }
}
