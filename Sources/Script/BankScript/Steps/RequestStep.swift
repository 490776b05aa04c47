import Encodings

/// Send a JSON request in the same session.
package struct Request: ScriptText {
    package let steps: [Step]

    package init(
        _ method: String, _ reference: Template, headers: [RequestStep.Header] = [],
        basic: RequestStep.BasicAuthentication? = nil, query: [FormField] = [], body: RequestStep.Body? = nil,
        form: [FormField] = [], expecting expected: ClosedRange<Int> = 200...299, file: String = #fileID,
        line: Int = #line
    ) {
        let request = RequestStep(
            method: method, reference: reference, headers: headers, basic: basic, query: query, body: body, form: form,
            expected: expected)
        steps = [Step(.request(request), at: Mark(file: file, line: line))]
    }
}

/// A JSON request in the same session.
public struct RequestStep: Sendable, Hashable {
    public var method: String
    public var reference: Template
    public var headers: [Header]
    /// The name and the password of Basic authentication (RFC 7617); nil without it.
    public var basic: BasicAuthentication?
    /// Values that are added to the address's query. A secret among them is masked wherever the address is shown.
    public var query: [FormField]
    public var body: Body?
    /// The fields of a form (application/x-www-form-urlencoded, in UTF-8), instead of a JSON body.
    public var form: [FormField]
    /// The statuses that count as success.
    public var expected: ClosedRange<Int>

    public struct Header: Sendable, Hashable {
        public var name: String
        public var value: Value
        /// The authentication scheme before the value, such as `Bearer` (RFC 9110, section 11.4).
        public var scheme: String?

        public init(_ name: String, _ value: Value, scheme: String? = nil) {
            self.name = name
            self.value = value
            self.scheme = scheme
        }
    }

    /// The two values of Basic authentication.
    public struct BasicAuthentication: Sendable, Hashable {
        public var user: Value
        public var password: Value

        public init(user: Value, password: Value) {
            self.user = user
            self.password = password
        }
    }

    /// A JSON value whose texts may be templates, credentials and captures.
    public typealias Body = JSONBody<Value>

    public init(
        method: String, reference: Template, headers: [Header] = [], basic: BasicAuthentication? = nil,
        query: [FormField] = [], body: Body? = nil, form: [FormField] = [],
        expected: ClosedRange<Int> = 200...299
    ) {
        self.method = method
        self.reference = reference
        self.headers = headers
        self.basic = basic
        self.query = query
        self.body = body
        self.form = form
        self.expected = expected
    }
}

extension Action {
    public static func request(_ request: RequestStep) -> Action { Action(request) }
}

extension RequestStep: StepDescription {
    public static let names = ["request"]
    public static let parts = [
        "request": ScriptNode.methods + ["headers", "basic", "query", "body", "form", "expecting"],
        "a header's value": ["captured", "scheme", "template"],
        "basic": ["user", "password"],
    ]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [RequestStep] {
        [try value.request()]
    }

    public var written: YAMLText {
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

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/request"], "Send a JSON request in the same session.")
    }

    public static let definitions: [String: JSONValue] = {
        let own: [String: JSONValue] = [
            "headers": ScriptSchema.map(of: [
                "anyOf": [
                    ["$ref": "#/$defs/value"],
                    ScriptSchema.object(
                        ["scheme": ["type": "string"], "captured": ["type": "string"]],
                        required: ["scheme", "captured"]),
                ]
            ]),
            "basic": ScriptSchema.described(
                ScriptSchema.object(
                    ["user": ["$ref": "#/$defs/value"], "password": ["$ref": "#/$defs/value"]],
                    required: ["user", "password"]), "The user and the password of Basic authentication."),
            "query": ScriptSchema.map(
                of: ["$ref": "#/$defs/value"],
                "Values that are added to the address. A secret is masked wherever the address is shown."),
            "body": ["description": "The JSON body. Each text in it is a value."],
            "form": ScriptSchema.map(of: ["$ref": "#/$defs/value"], "The fields of a form, instead of a JSON body."),
            "expecting": ["$ref": "#/$defs/range"],
        ]
        return [
            "request": [
                "oneOf": .array(
                    ScriptNode.methods.map { method in
                        ScriptSchema.object(
                            own.merging([method: ["$ref": "#/$defs/scalar"]]) { $1 }, required: [method])
                    })
            ]
        ]
    }()

    public var json: JSONValue { ["request": requestJSON] }

    /// The request as a part of any step.
    var requestJSON: JSONValue {
        .members([
            "method": .string(method), "url": .string(reference.source),
            "headers": headers.isEmpty
                ? nil
                : .array(
                    headers.map { header in
                        .members([
                            "name": .string(header.name), "value": header.value.json,
                            "scheme": header.scheme.map(JSONValue.string),
                        ])
                    }),
            "basic": basic.map { ["user": $0.user.json, "password": $0.password.json] },
            "query": query.isEmpty ? nil : .array(query.map(\.json)),
            "body": body?.json,
            "form": form.isEmpty ? nil : .array(form.map(\.json)),
            "from": .number(Double(expected.lowerBound)), "to": .number(Double(expected.upperBound)),
        ])
    }

    public func words(filling filled: (Template) -> String) -> String {
        "request \(requestWords(filling: filled))"
    }

    /// Names the method, the address and the credentials.
    func requestWords(filling filled: (Template) -> String) -> String {
        let posted = Set(postedValues.compactMap(\.credentialName)).sorted().map { "the \($0.inLine())" }
        let head = headCredentials.map { "the \($0.name.inLine()), \($0.place.rawValue)" }
        let credentials = (posted + head).joined(separator: ", ")
        return "\(method.inLine()) \(filled(reference))" + (credentials.isEmpty ? "" : " with \(credentials)")
    }

    public var details: [String] {
        var lines = headers.map { header in
            let scheme = header.scheme.map { "\($0.inLine()) and " } ?? ""
            return "header \(header.name.inLine()): \(scheme)\(header.value.words { $0.source })"
        }
        if let basic {
            lines.append(
                "Basic authentication: \(basic.user.words { $0.source }) and \(basic.password.words { $0.source })")
        }
        lines += query.map { "in the address, \($0.name.inLine()): \($0.value.words { $0.source })" }
        if let body { lines += body.leafWords(at: "$").map { "body \($0)" } }
        return lines + form.details + ["expects \(expected.asStatuses)"]
    }

    /// The method and the address.
    var address: String { "\(method.inLine()) \(reference.source.inLine())" }

    public func check(in lint: inout ScriptLint, at mark: Mark?) { lint.check(self, at: mark) }

    public var sent: [Sending] { [.request(self)] }
    public var facts: StepFacts { [.comesFromAnywhere, .bringsJSON] }

    public func moving(_ moved: (Template) -> Template) -> RequestStep {
        var copy = self
        copy.reference = moved(reference)
        return copy
    }
}

// MARK: What it sends

extension RequestStep {
    /// Every value that the request sends, besides those in its address's template.
    var values: [Value] { headValues + postedValues }

    /// The values of the headers, of Basic authentication and of the query.
    package var headValues: [Value] {
        headers.map(\.value) + (basic.map { [$0.user, $0.password] } ?? []) + query.map(\.value)
    }

    /// The values of the body or the form.
    package var postedValues: [Value] { (body?.leaves ?? []) + form.map(\.value) }

    /// The place of a credential that a server wants with every request.
    package enum HeadPlace: String, Sendable, Hashable {
        case header = "in a header"
        case basic = "by Basic authentication"
        case query = "in the address"
    }

    /// The credentials outside the body. They accompany every request to the interface, so a run does not count them as
    /// sign-ins until the bank refuses one.
    package var headCredentials: [(name: String, place: HeadPlace)] {
        func named(_ values: [Value], _ place: HeadPlace) -> [(name: String, place: HeadPlace)] {
            values.compactMap { value in value.credentialName.map { ($0, place) } }
        }
        return named(headers.map(\.value), .header) + named(basic.map { [$0.user, $0.password] } ?? [], .basic)
            + named(query.map(\.value), .query)
    }
}

// MARK: Its body and headers

extension JSONBody<Value> {
    var json: JSONValue {
        switch self {
        case .value(let value): ["value": value.json]
        // JSON has no such number, but the script still needs a digest.
        case .number(let number): number.isFinite ? .number(number) : .string("\(number)")
        case .bool(let bool): .bool(bool)
        case .null: .null
        case .array(let items): .array(items.map(\.json))
        case .object(let members): ["object": .object(members.mapValues(\.json))]
        }
    }

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

    /// Returns a line for each leaf, with its path.
    func leafWords(at path: String) -> [String] {
        switch self {
        case .value(let value): ["\(path): \(value.words { $0.source })"]
        case .number(let number): ["\(path): \(Int(exactly: number).map(String.init) ?? String(number))"]
        case .bool(let bool): ["\(path): \(bool)"]
        case .null: ["\(path): null"]
        case .array(let items):
            items.isEmpty ? ["\(path): []"] : items.enumerated().flatMap { $1.leafWords(at: "\(path)[\($0)]") }
        case .object(let members):
            members.isEmpty
                ? ["\(path): {}"]
                : members.sorted { $0.key < $1.key }.flatMap { $1.leafWords(at: "\(path).\($0.inLine())") }
        }
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

extension ScriptNode {
    static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    /// Reads `{ POST: /api/login, headers: { … }, body: { … }, expecting: 200..299 }`.
    func request() throws(ScriptSyntaxError) -> RequestStep {
        let fields = try fields("request")
        let given = Self.methods.filter { fields[$0] != nil }
        guard let method = given.first, given.count == 1, let reference = fields[method] else {
            throw error("“request” must have exactly one of: \(Self.methods.joined(separator: ", "))")
        }
        var headers: [RequestStep.Header] = []
        for (name, value) in try fields["headers"]?.members("headers") ?? [] {
            headers.append(try value.header(named: try name.text("a header's name")))
        }
        guard fields["body"] == nil || fields["form"] == nil else {
            throw error("a request has either “body” or “form”")
        }
        return RequestStep(
            method: method, reference: try reference.template("an address"), headers: headers,
            basic: try fields["basic"]?.basic(), query: try fields["query"]?.formFields("query") ?? [],
            body: try fields["body"]?.body(), form: try fields["form"]?.formFields("form") ?? [],
            expected: try fields["expecting"]?.range("expecting") ?? 200...299)
    }

    /// Reads `{ user: $user, password: $password }`.
    private func basic() throws(ScriptSyntaxError) -> RequestStep.BasicAuthentication {
        let fields = try fields("basic")
        guard let user = fields["user"], let password = fields["password"] else {
            throw error("“basic” needs a user and a password", hint: "basic: { user: $username, password: $password }")
        }
        return .init(user: try user.value(), password: try password.value())
    }

    /// Reads a value, `Bearer $token`, or `{ scheme: Bearer, captured: token }`.
    private func header(named name: String) throws(ScriptSyntaxError) -> RequestStep.Header {
        guard isMapping else {
            guard let (scheme, credential) = scalar?.schemeAndCredential else { return .init(name, try value()) }
            return .init(name, .credential(credential), scheme: scheme)
        }
        let fields = try fields("a header's value")
        if let template = fields["template"] {
            guard fields.count == 1 else { throw error("“template” is a header's whole value") }
            return .init(name, .template(try template.template("a header's value")))
        }
        guard let captured = fields["captured"] else {
            throw error(
                "a header's value must be a text or a captured name", hint: "{ scheme: Bearer, captured: token }")
        }
        return .init(
            name, .captured(try captured.text("a capture's name")), scheme: try fields["scheme"]?.text("scheme"))
    }

    func body() throws(ScriptSyntaxError) -> RequestStep.Body {
        if isSequence {
            var items: [RequestStep.Body] = []
            for item in try self.items("body") { items.append(try item.body()) }
            return .array(items)
        }
        if isMapping {
            let members = try members("body")
            if members.count == 1, members[0].key.scalar == "captured" { return .value(try value()) }
            if members.count == 1, members[0].key.scalar == "number", let text = members[0].value.scalar,
                !Template(text).names.isEmpty
            {
                return .value(.number(Template(text)))
            }
            var object: [String: RequestStep.Body] = [:]
            for (key, value) in members { object[try key.text("a name")] = try value.body() }
            return .object(object)
        }
        if node.scalar?.style == .plain {
            if let bool = node.bool { return .bool(bool) }
            if let number = node.float {
                guard number.isFinite else { throw error("JSON has no such number", hint: "quote it if it is a text") }
                return .number(number)
            }
            if isNull { return .null }
        }
        return .value(try value())
    }
}

extension String {
    /// The authentication scheme and the name of the credential after it, as in `Bearer $token`.
    var schemeAndCredential: (scheme: String, credential: String)? {
        let words = split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, String(words[1]).isCredential, let scheme = words.first, !scheme.isEmpty,
            scheme.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            })
        else { return nil }
        return (String(scheme), String(words[1].dropFirst()))
    }
}

extension ScriptLint {
    mutating func check(_ request: RequestStep, at mark: Mark?) {
        checkAddress(request.reference, at: mark)
        for header in request.headers {
            check(header.value, at: mark)
            checkLiteral(header, at: mark)
        }
        if let basic = request.basic {
            check(basic.user, at: mark)
            check(basic.password, at: mark)
            checkLiteral(basic.password, in: "password", at: mark)
        }
        for field in request.query {
            check(field.value, at: mark)
            checkLiteral(field.value, in: field.name, .name, at: mark)
        }
        checkHead(of: request, at: mark)
        if let body = request.body { check(body, at: mark) }
        for field in request.form {
            check(field.value, at: mark)
            checkLiteral(field.value, in: field.name, .name, at: mark)
        }
        for value in request.values {
            guard case .character(of: let name) = value else { continue }
            report(
                "secret-place", .error, "a character of the \(name) has no position in a request",
                hint: "fill the field whose label names the position", at: mark, about: "$\(name)")
        }
    }

    /// Reports a header whose value is a key or a token as plain text.
    private mutating func checkLiteral(_ header: RequestStep.Header, at mark: Mark?) {
        guard case .template(let template) = header.value, template.names.isEmpty else { return }
        guard ["authorization", "proxy-authorization"].contains(header.name.lowercased()) else {
            return checkLiteral(header.value, in: header.name, .name, at: mark)
        }
        let words = template.source.split(separator: " ")
        guard let credentials = words.last, words.count == 2 else { return }
        // An app without a secret of its own sends its name by Basic authentication (RFC 6749, section 2.3.1).
        let isOwners = words[0].lowercased() == "bearer"
        report(secret: String(credentials), for: header.name, isOwners ? .error : .warning, at: mark)
    }

    mutating func check(_ body: RequestStep.Body, at mark: Mark?) {
        switch body {
        case .value(let value): check(value, at: mark)
        case .array(let items): for item in items { check(item, at: mark) }
        case .object(let members):
            for (name, member) in members {
                check(member, at: mark)
                if case .value(let value) = member { checkLiteral(value, in: name, .name, at: mark) }
            }
        case .number, .bool, .null: break
        }
    }

    /// Checks that credentials outside the body stay with one origin.
    private mutating func checkHead(of request: RequestStep, at mark: Mark?) {
        guard let (name, place) = request.headCredentials.first else { return }
        if script.engine != .html {
            report(
                "secret-place", .error,
                "the engine \(script.engine.rawValue) sends the \(name) \(place.rawValue), where a page's scripts may read it",
                hint: "leave out “engine”: an interface with tokens needs no browser", at: mark, about: "$\(name)")
        }
        let destinations = script.destinations(of: request.reference.source)
        guard destinations.count > 1 else { return }
        report(
            "secret-place", .error,
            "the \(name) leaves \(place.rawValue), and the address may lead to each of \(destinations.count) origins",
            hint: "begin the address with a path, or with the origin that the \(name) is for", at: mark,
            about: request.reference.source)
    }

    /// Checks a request that is sent again and again.
    mutating func checkPolling(_ poll: RequestStep, at mark: Mark?) {
        for value in poll.postedValues + poll.headValues {
            switch value {
            // An interface with tokens wants one with every request.
            case .credential where poll.headValues.contains(value) && !poll.postedValues.contains(value): break
            case .credential(let name), .character(of: let name):
                report(
                    "polled-secret", .error, "the \(name) is sent again with every request of “polling”",
                    hint: "sign in with a separate request, and poll with the session", at: mark, about: "$\(name)")
            case .captured(let name) where codeNames.contains(name):
                report(
                    "polled-secret", .error,
                    "the one-time code “\(name)” is sent again with every request of “polling”",
                    hint: "send the code with a separate request, and poll with the session", at: mark, about: name)
            case .captured, .template, .number: break
            }
        }
    }
}
