import Encodings
import Messages
import Selectors

extension ScriptNode {
    func steps() throws(ScriptSyntaxError) -> [Step] {
        var steps: [Step] = []
        for item in try items("steps") {
            let expected = try item.expectedStatuses()
            for action in try item.actions() { steps.append(Step(action, expecting: expected, at: item.mark)) }
        }
        return steps
    }

    private func expectedStatuses() throws(ScriptSyntaxError) -> ClosedRange<Int>? {
        guard let expecting = node.mapping?.first(where: { $0.key.scalar?.string == "expecting" })?.value else {
            return nil
        }
        return try ScriptNode(node: expecting, file: file).range("expecting")
    }

    /// Reads one item of a list of steps; `fill` and `choose` may yield several.
    private func actions() throws(ScriptSyntaxError) -> [Action] {
        if let words = scalar {
            let name = Self.stepNames.first { words.hasPrefix($0 + " ") } ?? nearest(to: words, among: Self.stepNames)
            let rest = name.map { words.dropFirst($0.count).drop { $0 == " " } } ?? ""
            throw error(
                "“\(words)” is a text; a step is a name, a colon and a value",
                hint: name.map { "write “\($0): \(rest)”" } ?? "write for example “press: Sign in”")
        }
        let fields = try fields("a step")
        let names = fields.keys.filter { !Self.stepParts.contains($0) }
        guard let name = names.first, names.count == 1, let value = fields[name] else {
            throw error("a step does one thing", hint: "begin each step with “- ” on a line of its own")
        }
        if name == "when" {
            guard fields["expecting"] == nil else { throw error("“expecting” does not belong to “when”") }
            guard let then = fields["then"] else { throw error("“when” has no “then”") }
            return [.when(try value.condition(), try then.steps(), otherwise: try fields["otherwise"]?.steps() ?? [])]
        }
        guard fields["then"] == nil, fields["otherwise"] == nil else {
            throw error("“then” and “otherwise” belong to “when”")
        }
        guard fields["expecting"] == nil || Self.stepsThatOpenAPage.contains(name) else {
            throw error("“expecting” belongs to \(Self.stepsThatOpenAPage.joined(separator: ", "))")
        }
        return try value.actions(of: name)
    }

    private func actions(of name: String) throws(ScriptSyntaxError) -> [Action] {
        switch name {
        case "open": [.open(try template("open"))]
        case "follow": [.follow(try locator(as: .link))]
        case "press": [.press(try locator(as: .button))]
        case "press each": [try pressEach()]
        case "submit": [.submit(try submit())]
        case "enter": [.enter(try locator(as: .css))]
        case "check": [.check(try locator(as: .field), true)]
        case "uncheck": [.check(try locator(as: .field), false)]
        case "fill": try fills()
        case "choose": try choices()
        case "second factor": [.secondFactor(try secondFactor())]
        case "expect": [.expect(try condition())]
        case "fail": [try fail()]
        case "search": [.search(try search())]
        case "capture": try captures()
        case "request": [.request(try request())]
        case "wait until": [.waitUntil(try wait())]
        default: [.download(try download())]
        }
    }

    /// Reads `{ Username: $username, Password: $password }`, or a locator's parts and `with`.
    private func fills() throws(ScriptSyntaxError) -> [Action] {
        let members = try members("fill")
        if let with = members.first(where: { $0.key.scalar == "with" })?.value {
            return [.fill(try locator(as: .field, besides: ["with"]), try with.value())]
        }
        var actions: [Action] = []
        for (label, value) in members {
            actions.append(.fill(.field(.name(try label.text("a label"))), try value.value()))
        }
        return actions
    }

    /// Reads `{ $pin: img[alt="{{ digit }}"] }`.
    private func pressEach() throws(ScriptSyntaxError) -> Action {
        guard let (key, value) = try members("press each").first, try members("press each").count == 1,
            let name = key.scalar, name.isCredential
        else {
            throw error(
                "“press each” must have one credential and its keys", hint: "{ $pin: { button: \"{{ digit }}\" } }")
        }
        return .pressEach(try value.locator(as: .css), ofCredential: String(name.dropFirst()))
    }

    /// Reads `{ form: ".login", with: { name: value } }`.
    func submit() throws(ScriptSyntaxError) -> SubmitStep {
        let fields = try fields("submit")
        guard let form = fields["form"] else { throw error("“submit” has no “form”", hint: "{ form: \".login\" }") }
        return SubmitStep(form: try form.locator(as: .css), fields: try fields["with"]?.formFields("with") ?? [])
    }

    /// Reads `{ Year: "{{ year }}", Accounts: [Current, Savings] }`, or a locator's parts and `option`.
    private func choices() throws(ScriptSyntaxError) -> [Action] {
        let members = try members("choose")
        if let option = members.first(where: { $0.key.scalar == "option" })?.value {
            return try option.choices(in: try locator(as: .field, besides: ["option"]))
        }
        var actions: [Action] = []
        for (label, option) in members {
            actions += try option.choices(in: .field(.name(try label.text("a label"))))
        }
        return actions
    }

    /// Reads an option, or a list of those that are chosen one after the other in a list that takes several.
    private func choices(in list: Locator) throws(ScriptSyntaxError) -> [Action] {
        guard isSequence else { return [.choose(list, try value())] }
        var actions: [Action] = []
        for option in try items("the options") { actions.append(.choose(list, try option.value())) }
        guard !actions.isEmpty else {
            throw error(
                "the list of options is empty", hint: "choose: { Accounts: [Current, Savings] }")
        }
        return actions
    }

    /// Reads `{ BANK_LOGIN_FAILED: .notice--error, reason: wrong_credentials }`.
    private func fail() throws(ScriptSyntaxError) -> Action {
        var code: (ErrorCode, Condition)?
        var reason: FailureReason?
        for (key, value) in try members("fail") {
            if key.scalar == "reason" {
                reason = try value.failureReason()
            } else if code == nil {
                code = (try key.errorCode(), try value.condition())
            } else {
                throw key.error("“fail” must have exactly one error code")
            }
        }
        guard let (code, condition) = code else {
            throw error("“fail” has no error code", hint: "write { BANK_LOGIN_FAILED: .notice--error }")
        }
        return .fail(code, when: condition, reason: reason)
    }

    private func search() throws(ScriptSyntaxError) -> SearchStep {
        let fields = try fields("search")
        guard let next = fields["next"], let limit = fields["at most"] else {
            throw fields["next"] == nil
                ? error("“search” has no “next”", hint: "name the link to the next page, for example next: Older")
                : error("“search” has no “at most”", hint: "give the number of pages to look at: at most: 12 pages")
        }
        let last = try fields["last"]?.condition()
        if let path = fields["json"], fields["rows"] == nil, fields["for"] == nil {
            guard let cursor = fields["cursor"] else {
                throw error(
                    "“search” in JSON needs “cursor”, the place of the next answer's name", hint: "cursor: $.next")
            }
            return SearchStep(
                pages: .json(
                    path: try path.template("a JSONPath"), next: try next.request(),
                    cursor: try cursor.text("a JSONPath")),
                last: last, limit: try limit.pages())
        }
        let target: Locator
        switch (fields["rows"], fields["for"], fields["json"]) {
        case (let rows?, nil, nil): target = .row(try rows.textMatch())
        case (nil, let other?, nil): target = try other.locator(as: .row)
        default: throw error("“search” must have exactly one of: rows, for, json")
        }
        guard fields["cursor"] == nil else { throw error("“cursor” belongs to a search with “json”") }
        return SearchStep(target: target, next: try next.locator(as: .control), last: last, limit: try limit.pages())
    }

    /// Reads how often a run may send a credential.
    func engine() throws(ScriptSyntaxError) -> ScriptEngine {
        guard let engine = ScriptEngine(rawValue: try text("engine")) else {
            throw error(
                "“engine” must be the name of an engine, such as html or browser",
                hint: "leave it out unless the bank needs JavaScript")
        }
        return engine
    }

    func attempts() throws(ScriptSyntaxError) -> Int {
        guard let count = Int(try text("attempts")), BankScript.attemptsRange.contains(count) else {
            throw error("“attempts” must be 1, 2 or 3", hint: "many banks lock an account after three refused sign-ins")
        }
        return count
    }

    /// Reads how many downloads may run side by side.
    func atOnce() throws(ScriptSyntaxError) -> Int {
        guard let count = Int(try text("at once")), BankScript.atOnceRange.contains(count) else {
            throw error(
                "“at once” must be a number from 1 to 6", hint: "at once: 3 lets three downloads run side by side")
        }
        return count
    }

    /// Reads `12 pages` or a number.
    func pages() throws(ScriptSyntaxError) -> Int {
        let digits = try text("at most").prefix(while: \.isNumber)
        guard let count = Int(digits), (1...1000).contains(count) else {
            throw error(
                "“at most” is “\(scalar ?? "")”, but must be a number of pages from 1 to 1000",
                hint: "write for example at most: 12 pages")
        }
        return count
    }

    private func captures() throws(ScriptSyntaxError) -> [Action] {
        var actions: [Action] = []
        for (key, value) in try members("capture") {
            actions.append(.capture(try value.capture(named: try key.text("a name"))))
        }
        return actions
    }

    private func capture(named name: String) throws(ScriptSyntaxError) -> CaptureStep {
        let own = Self.parts["a capture"] ?? []
        let names = try members("a capture").compactMap(\.key.scalar)
        func part(_ name: String) throws(ScriptSyntaxError) -> ScriptNode? {
            try members("a capture").first { $0.key.scalar == name }?.value
        }
        let source: CaptureStep.Source
        if let header = try part("header") {
            source = .header(try header.text("header"))
        } else if let cookie = try part("cookie") {
            source = .cookie(try cookie.text("cookie"))
        } else if let path = try part("json") {
            source = .jsonPath(try path.text("json"))
        } else if let sign = try part("sign") {
            for (key, value) in try members("a capture") where key.scalar != "sign" {
                throw value.error("a signed token has no other part", hint: "it is a secret, whatever the script says")
            }
            return CaptureStep(name: name, source: .signed(try sign.signedToken()), isSecret: true)
        } else if let template = try part("template") {
            source = .template(try template.template("template"))
        } else {
            let locator = try locator(as: .css, besides: own)
            source = try part("attribute").map { .attribute($0.scalar ?? "", of: locator) } ?? .text(locator)
        }
        guard names.count == Set(names).count else { throw error("the capture has a part twice") }
        return CaptureStep(
            name: name, source: source, pattern: try part("matching")?.text("matching"),
            filter: try part("filter")?.text("filter"),
            isSecret: try part("secret")?.flag("secret") ?? false)
    }
}
