import Encodings
import Selectors

/// Keep a value from the page under a name, for use in templates and fields.
package struct Capture: ScriptText {
    package let steps: [Step]

    package init(
        _ name: String, from source: CaptureStep.Source, matching pattern: String? = nil, filter: String? = nil,
        isSecret: Bool = false, file: String = #fileID, line: Int = #line
    ) {
        let capture = CaptureStep(name: name, source: source, pattern: pattern, filter: filter, isSecret: isSecret)
        steps = [Step(.capture(capture), at: Mark(file: file, line: line))]
    }
}

/// Keeps a value from the page under a name.
public struct CaptureStep: Sendable, Hashable {
    public enum Source: Sendable, Hashable {
        case text(Locator)
        case attribute(String, of: Locator)
        case header(String)
        case cookie(String)
        /// A JSONPath (RFC 9535) into the latest JSON answer. Its placeholders are filled in like those of a template.
        case jsonPath(String)
        case template(Template)
        /// A token that a private key signs. It is always secret.
        case signed(SignedToken)
    }

    /// The name under which later steps find the value.
    public var name: String
    public var source: Source
    /// A regular expression: the capture is its first group, or the whole match if it has no group.
    public var pattern: String?
    /// Filters for the result, such as `urldecode`, separated by `|`.
    public var filter: String?
    /// True if the value is redacted in all output, like a credential.
    public var isSecret: Bool

    public init(
        name: String, source: Source, pattern: String? = nil, filter: String? = nil, isSecret: Bool = false
    ) {
        self.name = name
        self.source = source
        self.pattern = pattern
        self.filter = filter
        self.isSecret = isSecret
    }
}

extension CaptureStep {
    /// The filters as a template of the captured value, which it names `value`.
    package var filterTemplate: Template? { filter.map { Template("{{ \(Self.valueName) | \($0) }}") } }

    /// The name of the captured value in ``filterTemplate``.
    package static let valueName = "value"
}

extension Action {
    public static func capture(_ capture: CaptureStep) -> Action { Action(capture) }
}

extension CaptureStep: StepDescription {
    public static let names = ["capture"]
    public static let companions = [StepCompanion.within]
    public static let parts = [
        "a capture": ["attribute", "header", "cookie", "json", "template", "sign", "matching", "filter", "secret"],
        "sign": SignedToken.Algorithm.allCases.map(\.rawValue) + ["header", "claims", "life", "skew"],
    ]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [CaptureStep] {
        var steps: [CaptureStep] = []
        for (key, part) in try value.members("capture") {
            steps.append(try part.capture(named: try key.text("a name")))
        }
        return steps
    }

    public var written: YAMLText { .members([(name, writtenSource)]) }

    private var writtenSource: YAMLText {
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

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(
            ScriptSchema.map(of: ["$ref": "#/$defs/capture"]), "Keep a value from the page under a name.")
    }

    public static let definitions: [String: JSONValue] = {
        let own: [String: JSONValue] = [
            "attribute": ["type": "string"], "header": ["type": "string"], "cookie": ["type": "string"],
            "json": ["type": "string"], "template": ["$ref": "#/$defs/scalar"], "matching": ["type": "string"],
            "filter": ScriptSchema.described(["type": "string"], "Filters for the value, such as urldecode."),
            "secret": ["type": "boolean"],
        ]
        let sources = ["header", "cookie", "json", "template"].map { ScriptSchema.object(own, required: [$0]) }
        let signed = ScriptSchema.object(["sign": SignedToken.schema], required: ["sign"])
        return ["capture": ["anyOf": .array(sources + [signed, ScriptSchema.locator(besides: own)])]]
    }()

    public var json: JSONValue {
        [
            "capture": .members([
                "name": .string(name), "from": source.json, "matching": pattern.map(JSONValue.string),
                "filter": filter.map(JSONValue.string), "secret": isSecret ? .bool(true) : nil,
            ])
        ]
    }

    public func words(filling filled: (Template) -> String) -> String { "capture \(name.inLine())" }

    public var details: [String] {
        if case .signed(let token) = source { return token.details }
        return ["from \(source.words)"] + (pattern.map { ["matching /\($0.inLine())/"] } ?? [])
            + (filter.map { ["with the filter \($0.inLine())"] } ?? []) + (isSecret ? ["kept as a secret"] : [])
    }

    public func check(in lint: inout ScriptLint, at mark: Mark?) {
        switch source {
        case .text(let locator), .attribute(_, let locator): lint.check(locator, at: mark)
        case .template(let template): lint.check(template, at: mark)
        case .jsonPath(let path): lint.checkJSONPath(Template(path), at: mark)
        case .signed(let token): lint.check(token, at: mark)
        case .header, .cookie: break
        }
        if let pattern { lint.checkRegex(pattern, at: mark) }
        if let filterTemplate { lint.with(Self.valueName) { $0.check(filterTemplate, at: mark) } }
        lint.keep(name, isSecret: isSecret, at: mark)
    }

    public var sent: [Sending] { if case .signed(let token) = source { [.token(token, as: name)] } else { [] } }
    public var keptName: String? { name }
}

extension CaptureStep.Source {
    var json: JSONValue {
        switch self {
        case .text(let locator): ["text": locator.json]
        case .attribute(let name, let locator): ["attribute": .string(name), "of": locator.json]
        case .header(let name): ["header": .string(name)]
        case .cookie(let name): ["cookie": .string(name)]
        case .jsonPath(let path): ["json": .string(path)]
        case .template(let template): ["template": .string(template.source)]
        case .signed(let token): ["sign": token.json]
        }
    }

    fileprivate var words: String {
        switch self {
        case .text(let locator): "the text of \(locator.inLine)"
        case .attribute(let name, let locator): "the attribute “\(name.inLine())” of \(locator.inLine)"
        case .header(let name): "the answer's header “\(name.inLine())”"
        case .cookie(let name): "the cookie “\(name.inLine())”"
        case .jsonPath(let path): "the answer's \(path.inLine())"
        case .template(let template): "the text “\(template.source.inLine())”"
        case .signed(let token): "a token that your \(token.key.inLine()) signs; the key stays on the phone"
        }
    }
}

extension SignedToken {
    var json: JSONValue {
        .members([
            "algorithm": .string(algorithm.rawValue), "key": .string(key),
            "header": header.isEmpty ? nil : .object(header.mapValues(\.json)),
            "claims": .object(claims.mapValues(\.json)), "life": .milliseconds(life),
            "skew": skew == Self.usualSkew ? nil : .milliseconds(skew),
        ])
    }

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

    fileprivate var details: [String] {
        let header = RequestStep.Body.object(header).leafWords(at: "$").map { "header \($0)" }
        let claims = RequestStep.Body.object(claims).leafWords(at: "$").map { "claim \($0)" }
        return ["from \(CaptureStep.Source.signed(self).words)", "signed with \(algorithm.rawValue)"]
            + (self.header.isEmpty ? [] : header) + claims
            + ["valid for \(life.inScript), dated \(skew.inScript) back", "kept as a secret"]
    }

    /// A token that a private key signs, with one of the algorithms.
    fileprivate static let schema: JSONValue = {
        let own: [String: JSONValue] = [
            "header": ScriptSchema.described(
                ["type": "object"], "Members of the header, such as kid. Each text in it is a value."),
            "claims": ScriptSchema.described(
                ["type": "object"], "The claims besides iat and exp. Each text in them is a value."),
            "life": ["$ref": "#/$defs/duration"], "skew": ["$ref": "#/$defs/duration"],
        ]
        return [
            "description": "A JSON Web Token that a private key in PEM signs. The key does not leave.",
            "oneOf": .array(
                Algorithm.allCases.map { algorithm in
                    let key: JSONValue = ["type": "string", "pattern": #"^\$[A-Za-z_][A-Za-z0-9_-]*$"#]
                    return ScriptSchema.object(
                        own.merging([algorithm.rawValue: key]) { $1 }, required: [algorithm.rawValue, "claims", "life"])
                }),
        ]
    }()
}

extension ScriptNode {
    fileprivate func capture(named name: String) throws(ScriptSyntaxError) -> CaptureStep {
        let members = try members("a capture")
        func part(_ name: String) -> ScriptNode? { members.first { $0.key.scalar == name }?.value }
        let source: CaptureStep.Source
        if let header = part("header") {
            source = .header(try header.text("header"))
        } else if let cookie = part("cookie") {
            source = .cookie(try cookie.text("cookie"))
        } else if let path = part("json") {
            source = .jsonPath(try path.text("json"))
        } else if let sign = part("sign") {
            for (key, value) in members where key.scalar != "sign" {
                throw value.error("a signed token has no other part", hint: "it is a secret, whatever the script says")
            }
            return CaptureStep(name: name, source: .signed(try sign.signedToken()), isSecret: true)
        } else if let template = part("template") {
            source = .template(try template.template("template"))
        } else {
            let locator = try locator(as: .css, besides: CaptureStep.parts["a capture"] ?? [])
            source = part("attribute").map { .attribute($0.scalar ?? "", of: locator) } ?? .text(locator)
        }
        let names = members.compactMap(\.key.scalar)
        guard names.count == Set(names).count else { throw error("the capture has a part twice") }
        return CaptureStep(
            name: name, source: source, pattern: try part("matching")?.text("matching"),
            filter: try part("filter")?.text("filter"), isSecret: try part("secret")?.flag("secret") ?? false)
    }

    /// Reads `{ RS256: $app_key, header: { … }, claims: { … }, life: 10 min, skew: 30 s }`.
    fileprivate func signedToken() throws(ScriptSyntaxError) -> SignedToken {
        let fields = try fields("sign", example: "sign: { RS256: $app_key, claims: { iss: me }, life: 10 min }")
        let given = SignedToken.Algorithm.allCases.filter { fields[$0.rawValue] != nil }
        guard let algorithm = given.first, given.count == 1, let key = fields[algorithm.rawValue] else {
            throw error("“sign” must have exactly one of: RS256, ES256, EdDSA", hint: "RS256: $app_key")
        }
        guard let name = key.scalar, name.isCredential else {
            throw key.error("the key must be a credential", hint: "\(algorithm.rawValue): $app_key")
        }
        guard let claims = fields["claims"], let life = fields["life"] else {
            throw error("“sign” needs “claims” and “life”", hint: "claims: { iss: me }, life: 10 min")
        }
        return SignedToken(
            algorithm, key: String(name.dropFirst()), header: try fields["header"]?.bodies("header") ?? [:],
            claims: try claims.bodies("claims"), life: try life.duration("life"),
            skew: try fields["skew"]?.duration("skew") ?? SignedToken.usualSkew)
    }

    private func bodies(_ what: String) throws(ScriptSyntaxError) -> [String: RequestStep.Body] {
        var bodies: [String: RequestStep.Body] = [:]
        for (key, value) in try members(what) { bodies[try key.text("a name")] = try value.body() }
        return bodies
    }
}

extension ScriptLint {
    fileprivate mutating func check(_ token: SignedToken, at mark: Mark?) {
        checkCredential(token.key, at: mark)
        check(RequestStep.Body.object(token.header), at: mark)
        check(RequestStep.Body.object(token.claims), at: mark)
        for (names, given, what) in [
            (SignedToken.ownHeader, Set(token.header.keys), "header"),
            (SignedToken.ownClaims, Set(token.claims.keys), "claims"),
        ] {
            for name in names where given.contains(name) {
                report(
                    "signed-token", .error, "“\(name)” of the \(what) is set when the token is signed",
                    hint: name == "alg" || name == "typ" ? "leave it out" : "leave it out, and write life and skew",
                    at: mark, about: name)
            }
        }
        if token.values.contains(.credential(token.key)) {
            report(
                "secret-place", .error,
                "the \(token.key) is a private key, and a token that holds it would give it away",
                hint: "leave it out of “header” and “claims”", at: mark, about: "$\(token.key)")
        }
        if !SignedToken.lives.contains(token.life) || !SignedToken.skews.contains(token.skew) {
            report(
                "signed-token", .error, "a token lives for 1 s to 24 h, and is dated at most 5 min back",
                hint: "life: 10 min", at: mark, about: "life")
        }
    }
}
