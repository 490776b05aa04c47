import Encodings
import Messages
import Selectors

/// Pause for a second factor.
public struct SecondFactor: ScriptText {
    public let steps: [Step]

    /// Fills a code into the field with this label and sends it with the form's own button.
    ///
    /// - Parameters:
    ///   - token: the issuer or account of the token to use; the token linked to the bank when nil.
    ///   - tries: the number of codes that may be sent, 1 to 3, if the bank asks in the same field again.
    public init(
        _ label: String, token: String? = nil, from sources: SecondFactorStep.Source..., tries: Int = 1,
        within limit: Duration, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            SecondFactorStep(
                method: .code(field: .field(.name(label)), picture: nil),
                sources: sources.isEmpty ? [.vault, .person] : sources, tries: tries, limit: limit, token: token),
            file: file, line: line)
    }

    /// Waits for an approval in the bank's own app: looks at the page as long as the condition holds.
    ///
    /// - Parameter reloads: loads the page anew before each look, also a page that its scripts change.
    public init(
        untilNot condition: Condition, every interval: Duration = .seconds(2), within limit: Duration,
        reloading reloads: Bool = false, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            SecondFactorStep(
                method: .push(until: .not(condition), every: interval), sources: [.person], limit: limit,
                reloads: reloads),
            file: file, line: line)
    }

    /// Waits for an approval in the bank's own app: repeats a JSON request until the condition holds.
    public init(
        until condition: Condition, polling poll: RequestStep, every interval: Duration = .seconds(2),
        within limit: Duration, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            SecondFactorStep(
                method: .push(until: condition, polling: poll, every: interval), sources: [.person], limit: limit),
            file: file, line: line)
    }

    public init(_ step: SecondFactorStep, file: String = #fileID, line: Int = #line) {
        steps = [Step(.secondFactor(step), at: Mark(file: file, line: line))]
    }
}

/// A pause in which a second factor is obtained and sent.
public struct SecondFactorStep: Sendable, Hashable {
    /// A source of the answer, by its name. Sources are asked in the given order.
    public struct Source: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        /// - Parameter rawValue: a plug-in's name, see ``PluginName``. A script that names a source which is not plugged in is
        ///   refused by ``ScriptLint``.
        public init?(rawValue: String) {
            guard PluginName.isValid(rawValue) else { return nil }
            self.rawValue = rawValue
        }

        private init(standard name: String) { rawValue = name }

        /// The person's TOTP vault, if one of its tokens is linked to this bank.
        public static let vault = Source(standard: "vault")
        /// The person, asked on the phone's screen.
        public static let person = Source(standard: "person")
        /// The sources that need no plug-in.
        public static let standard = [vault, person]
    }

    public enum Method: Sendable, Hashable {
        /// Fill a code into a field. The picture, if any, is shown to the person with the question.
        case code(field: Locator, picture: Locator?)
        /// Wait for an approval in the bank's own app: repeat a request, or look at the page again, until the condition
        /// holds. ``reloads`` says how.
        case push(until: Condition, polling: RequestStep? = nil, every: Duration)
        /// Let the person choose one of the methods that the page offers.
        case choice(among: Locator)
        /// Keep a code as a secret capture with this name, for use in a JSON body.
        case captured(as: String)
    }

    /// The values that ``tries`` may have. Many banks lock an account after three refused codes.
    package static let triesRange = 1...3

    public var method: Method
    public var sources: [Source]
    /// The number of codes that may be sent. While the bank asks in the same field again, the person is asked for another.
    public var tries: Int
    /// The time limit for the answer, all tries together; after it the run ends with BANK_2FA_TIMEOUT.
    public var limit: Duration
    /// The button that sends the code; the form's own button when nil.
    public var confirm: Locator?
    /// The question for the person, shown with the bank's name.
    public var question: Template?
    /// The issuer or account of the token to use; the token linked to the bank when nil.
    public var token: String?
    /// Loads the page anew before each look for an approval, also a page that its scripts change.
    public var reloads: Bool

    public init(
        method: Method, sources: [Source] = [.vault, .person], tries: Int = 1, limit: Duration,
        confirm: Locator? = nil, question: Template? = nil, token: String? = nil, reloads: Bool = false
    ) {
        self.method = method
        self.sources = sources
        self.tries = tries
        self.limit = limit
        self.confirm = confirm
        self.question = question
        self.token = token
        self.reloads = reloads
    }
}

extension Action {
    public static func secondFactor(_ step: SecondFactorStep) -> Action { Action(step) }
}

extension SecondFactorStep: StepDescription {
    public static let names = ["second factor"]
    public static let parts = [
        "second factor": [
            "field", "picture", "push until", "polling", "every", "choice", "from", "within", "press", "confirm",
            "question", "as", "token", "tries", "reload",
        ]
    ]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [SecondFactorStep] {
        [try value.secondFactor()]
    }

    public var written: YAMLText {
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

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(["$ref": "#/$defs/secondFactor"], "Pause for a code, an approval or a choice.")
    }

    public static let definitions: [String: JSONValue] = {
        let common: [String: JSONValue] = [
            "from": ScriptSchema.list(of: ScriptSchema.plugged(Source.standard.map(\.rawValue))),
            "within": ["$ref": "#/$defs/duration"],
            "press": ScriptSchema.described(["$ref": "#/$defs/locator"], "The button that sends the answer."),
            "confirm": ScriptSchema.described(["$ref": "#/$defs/locator"], "An older word for press."),
            "question": ["$ref": "#/$defs/scalar"],
            "token": ScriptSchema.described(["type": "string"], "The issuer or account of the token to use."),
        ]
        func form(_ name: String, _ own: [String: JSONValue]) -> JSONValue {
            ScriptSchema.object(common.merging(own) { $1 }, required: [name, "within"])
        }
        return [
            "secondFactor": [
                "oneOf": [
                    form(
                        "field",
                        [
                            "field": ["$ref": "#/$defs/locator"], "picture": ["$ref": "#/$defs/locator"],
                            "tries": ScriptSchema.described(
                                ["type": "integer", "minimum": 1, "maximum": 3],
                                "How many codes may be sent, if the bank asks again."),
                        ]),
                    form(
                        "push until",
                        [
                            "push until": ["$ref": "#/$defs/condition"], "polling": ["$ref": "#/$defs/request"],
                            "every": ["$ref": "#/$defs/duration"], "reload": WaitStep.reloadSchema,
                        ]),
                    form("choice", ["choice": ["$ref": "#/$defs/locator"]]),
                    form(
                        "as",
                        [
                            "as": ScriptSchema.described(
                                ["type": "string"], "Keep the code under this name, for a JSON body.")
                        ]),
                ]
            ]
        ]
    }()

    public var json: JSONValue {
        var members: [String: JSONValue?] = [
            "from": .array(sources.map { .string($0.rawValue) }), "within": .milliseconds(limit),
            "confirm": confirm?.json, "question": question.map { .string($0.source) },
            "token": token.map(JSONValue.string), "tries": tries == 1 ? nil : .number(Double(tries)),
            "reload": reloads ? .bool(true) : nil,
        ]
        switch method {
        case .code(let field, let picture):
            members["code"] = field.json
            members["picture"] = picture?.json
        case .push(let condition, let poll, let interval):
            members["push"] = condition.json
            members["poll"] = poll?.requestJSON
            members["every"] = .milliseconds(interval)
        case .choice(let choices):
            members["choice"] = choices.json
        case .captured(let name):
            members["as"] = .string(name)
        }
        return ["secondFactor": .members(members)]
    }

    public func words(filling filled: (Template) -> String) -> String {
        switch method {
        case .code(let field, _): "second factor: a code for \(field.words(filling: filled))"
        case .push: "second factor: an approval in the bank's own app"
        case .choice(let choices): "second factor: a choice among \(choices.words(filling: filled))"
        case .captured(let name): "second factor: a code, kept as \(name.inLine())"
        }
    }

    public var details: [String] {
        var lines = ["answered by \(sources.map(\.rawValue).joined(separator: ", then ")), within \(limit.inScript)"]
        switch method {
        case .code(_, let picture):
            if tries > 1 { lines.append("asks for another code if the bank refuses one, at most \(tries) in all") }
            if let picture { lines.append("shows you the picture \(picture.inLine)") }
        case .push(let condition, let poll, let interval):
            let how = poll == nil ? "looks at the page" : "repeats a request"
            lines.append("\(how) every \(interval.inScript) until \(condition.words)")
            if poll == nil { lines.append(reloads ? "each time reload the page" : WaitStep.watching) }
            if let poll {
                lines.append("each time request \(poll.address)")
                lines += poll.details
            }
        case .choice, .captured: break
        }
        if let question { lines.append("asks you “\(question.source.inLine())”") }
        if let token { lines.append("with the token “\(token.inLine())”") }
        if let confirm { lines.append("then press \(confirm.inLine)") }
        return lines
    }

    public func check(in lint: inout ScriptLint, at mark: Mark?) {
        switch method {
        case .code(let field, let picture):
            lint.check(field, at: mark)
            if let picture { lint.check(picture, at: mark) }
        case .push(let condition, let poll, let interval):
            lint.check(condition, at: mark)
            lint.checkInterval(interval, at: mark)
            if let poll {
                lint.check(poll, at: mark)
                lint.checkPolling(poll, at: mark)
            } else if condition.asksJSON {
                lint.report(
                    "push-without-polling", .warning,
                    "the condition asks the JSON answer, but nothing asks the bank for a new one: the page is reloaded",
                    hint: "polling: { GET: /api/approval }", at: mark, about: "push until")
            }
        case .choice(let choices): lint.check(choices, at: mark)
        case .captured(let name): lint.checkCapturedName(name, at: mark)
        }
        if let confirm { lint.check(confirm, at: mark) }
        if let question { lint.check(question, at: mark) }
        lint.checkLimit(limit, at: mark)
        lint.checkTries(of: self, at: mark)
        if let token, !sources.contains(.vault) {
            lint.report(
                "unused-token", .warning, "the token “\(token)” is never used", hint: "add vault to “from”",
                at: mark)
        }
        lint.checkSources(of: self, at: mark)
        if sources.isEmpty {
            lint.report(
                "no-answerer", .error, "this second factor has no source for its answer", hint: "from: [vault, person]",
                at: mark, about: "from")
        }
        if let keptName { lint.captured[keptName] = true }
    }

    public var sent: [Sending] {
        switch method {
        case .code: [.answer("a one-time code")]
        case .choice: [.answer("your choice")]
        case .push(_, let poll?, let interval): [.request(poll, repeated: "again every \(interval.inScript)")]
        case .push(_, nil, _), .captured: []
        }
    }

    public var keptName: String? { if case .captured(let name) = method { name } else { nil } }
    public var facts: StepFacts { [.asksForCode, .signsIn, .sendsItself] }

    public func moving(_ moved: (Template) -> Template) -> SecondFactorStep {
        guard case .push(let condition, let poll?, let interval) = method else { return self }
        var copy = self
        copy.method = .push(until: condition, polling: poll.moving(moved), every: interval)
        return copy
    }
}

extension BankScript {
    /// True if the person's TOTP vault may answer one of the steps.
    public var asksVault: Bool {
        (stepsForOnePeriod + finally).allActions.contains { action in
            guard let step = action.as(SecondFactorStep.self), case .code = step.method else { return false }
            return step.sources.contains(.vault)
        }
    }
}

extension ScriptNode {
    fileprivate func secondFactor() throws(ScriptSyntaxError) -> SecondFactorStep {
        let fields = try fields("second factor")
        guard fields["press"] == nil || fields["confirm"] == nil else {
            throw error("“press” and “confirm” are the same part", hint: "write press")
        }
        guard let within = fields["within"] else {
            throw error("“second factor” has no “within”", hint: "give the time limit, for example within: 2 min")
        }
        let method: SecondFactorStep.Method
        switch (fields["field"], fields["push until"], fields["choice"], fields["as"]) {
        case (let field?, nil, nil, nil):
            method = .code(
                field: try field.locator(as: .field), picture: try fields["picture"]?.locator(as: .css))
        case (nil, let condition?, nil, nil):
            method = .push(
                until: try condition.condition(), polling: try fields["polling"]?.request(),
                every: try fields["every"]?.duration("every") ?? .seconds(2))
        case (nil, nil, let choices?, nil):
            method = .choice(among: try choices.locator(as: .css))
        case (nil, nil, nil, let name?):
            method = .captured(as: try name.text("a capture's name"))
        default:
            throw error("“second factor” must have exactly one of: field, push until, choice, as")
        }
        if let reload = fields["reload"] {
            guard case .push = method else {
                throw reload.error("“reload” goes with “push until”", hint: "it says how the page is looked at again")
            }
        }
        let sources = try fields["from"]?.sources() ?? [.vault, .person]
        if let tries = fields["tries"] {
            guard case .code = method, sources.contains(.person) else {
                throw tries.error(
                    "“tries” goes with a “field” and a person", hint: "a person is asked for the next code")
            }
        }
        return SecondFactorStep(
            method: method, sources: sources, tries: try fields["tries"]?.tries() ?? 1,
            limit: try within.duration("within"),
            confirm: try (fields["press"] ?? fields["confirm"])?.locator(as: .button),
            question: try fields["question"]?.template("question"), token: try fields["token"]?.text("token"),
            reloads: try fields["reload"]?.reloads(besides: fields["polling"]) ?? false)
    }

    private func tries() throws(ScriptSyntaxError) -> Int {
        guard let count = Int(try text("tries")), SecondFactorStep.triesRange.contains(count) else {
            throw error("“tries” must be 1, 2 or 3", hint: "many banks lock an account after three refused codes")
        }
        return count
    }

    private func sources() throws(ScriptSyntaxError) -> [SecondFactorStep.Source] {
        var sources: [SecondFactorStep.Source] = []
        for item in try items("from") {
            let name = try item.text("a source")
            guard let source = SecondFactorStep.Source(rawValue: name) else {
                throw item.error(
                    "“\(name)” is not the name of a source of answers",
                    hint: "the sources are vault, person, and those that are plugged in")
            }
            sources.append(source)
        }
        return sources
    }
}

extension ScriptLint {
    /// A vault has one right code at a time, so only a person can be asked for another.
    fileprivate mutating func checkTries(of step: SecondFactorStep, at mark: Mark?) {
        guard SecondFactorStep.triesRange.contains(step.tries) else {
            return report(
                "tries", .error, "a step may send 1 to 3 codes, not \(step.tries)",
                hint: "many banks lock an account after three refused codes", at: mark, about: "tries")
        }
        if step.tries > 1, !step.asksForAnotherCode {
            report(
                "tries", .error, "“tries” goes with a field and a person, who is asked for the next code",
                hint: "from: [person], or leave out “tries”", at: mark, about: "tries")
        }
    }

    fileprivate mutating func checkSources(of step: SecondFactorStep, at mark: Mark?) {
        let names = plugged.codeSources.map(\.rawValue)
        for source in step.sources where !names.contains(source.rawValue) {
            report(
                "unknown-source", .error,
                "no source of answers “\(source.rawValue)” is plugged in; the sources are: \(names.joined(separator: ", "))",
                hint: hint(for: source.rawValue, among: names), at: mark, about: source.rawValue)
        }
    }
}

extension SecondFactorStep {
    fileprivate var asksForAnotherCode: Bool {
        guard case .code = method else { return false }
        return sources.contains(.person)
    }
}
