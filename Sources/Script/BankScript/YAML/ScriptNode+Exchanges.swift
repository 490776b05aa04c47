import Encodings
import Messages
import Selectors

extension ScriptNode {
    func secondFactor() throws(ScriptSyntaxError) -> SecondFactorStep {
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

    /// Reads the fields of a form, in the order of the file.
    func formFields(_ what: String) throws(ScriptSyntaxError) -> [FormField] {
        var result: [FormField] = []
        for (key, value) in try members(what) {
            result.append(FormField(try key.text("a field's name"), try value.value()))
        }
        return result
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

    func wait() throws(ScriptSyntaxError) -> WaitStep {
        let fields = try fields("wait until")
        guard let within = fields["within"] else {
            throw error(
                "“wait until” has no “within”", hint: "give the longest time to wait, for example within: 1 min")
        }
        let condition: Condition
        switch (fields["page"], fields["json"]) {
        case (let page?, nil): condition = try page.condition()
        case (nil, let path?):
            condition = .json(try path.template("a JSONPath"), is: try fields["is"]?.template("a text"))
        default: throw error("“wait until” must have either “page” or “json”", hint: "{ page: .ready, within: 1 min }")
        }
        return WaitStep(
            condition: condition, poll: try fields["polling"]?.request(),
            interval: try fields["every"]?.duration("every") ?? .seconds(2), limit: try within.duration("within"),
            reloads: try fields["reload"]?.reloads(besides: fields["polling"]) ?? false)
    }

    /// Reads whether a wait loads the page anew each time.
    private func reloads(besides poll: ScriptNode?) throws(ScriptSyntaxError) -> Bool {
        guard poll == nil else {
            throw error("“reload” does not go with “polling”", hint: "a wait asks for the page, or for an answer")
        }
        return try flag("“reload”")
    }

    func download() throws(ScriptSyntaxError) -> DownloadStep {
        if scalar != nil { return DownloadStep(source: .control(try locator(as: .control))) }
        let members = try members("download")
        func part(_ name: String) -> ScriptNode? { members.first { $0.key.scalar == name }?.value }
        let limit = try part("at most")?.size("at most") ?? DownloadStep.defaultLimit
        if part("as")?.scalar == "transactions" { return try transactions(atMost: limit) }
        let content = try content(as: part("as"), holding: part("holding"), named: part("named"))
        let others = ["as", "holding", "named", "at most"]
        if let pages = part("pages") {
            guard content == .document(.json), let request = part("request") else {
                throw pages.error("“pages” needs a request, and as: json or as: transactions")
            }
            _ = try fields("download", known: ["request", "pages"] + others)
            return DownloadStep(
                source: .request(try request.request()), content: content, pages: try pages.answerPages(), limit: limit)
        }
        if let reference = part("open") {
            _ = try fields("download", known: ["open"] + others)
            return DownloadStep(source: .open(try reference.template("open")), content: content, limit: limit)
        }
        if let request = part("request") {
            _ = try fields("download", known: ["request"] + others)
            return DownloadStep(source: .request(try request.request()), content: content, limit: limit)
        }
        if let form = part("submit") {
            _ = try fields("download", known: ["submit"] + others)
            return DownloadStep(source: .submit(try form.submit()), content: content, limit: limit)
        }
        if let path = part("json") {
            _ = try fields("download", known: ["json", "decode"] + others)
            guard part("decode")?.scalar == "base64" else {
                throw (part("decode") ?? path).error(
                    "a document inside an answer is read out of base64 and nothing else", hint: "decode: base64")
            }
            return DownloadStep(source: .encoded(in: try path.template("a JSONPath")), content: content, limit: limit)
        }
        if let printed = part("print") {
            _ = try fields("download", known: ["print", "at most"])
            guard printed.scalar == "page" else {
                throw printed.error("“print” prints the page that is open and nothing else", hint: "print: page")
            }
            return DownloadStep(source: .printedPage, limit: limit)
        }
        let control = try locator(as: .control, besides: others)
        return DownloadStep(source: .control(control), content: content, limit: limit)
    }

    /// Reads `as: csv`, or `as: zip` with `holding: [pdf, camt]`, and perhaps `named: "{{ year }}-{{ month | pad }}"`.
    private func content(
        as kind: ScriptNode?, holding: ScriptNode?, named: ScriptNode?
    ) throws(ScriptSyntaxError) -> DownloadStep.Content {
        guard let kind, kind.scalar == "zip" else {
            if let holding { throw holding.error("“holding” needs as: zip") }
            if let named { throw named.error("“named” needs as: zip") }
            return .document(try kind?.documentKind(or: ["zip", "transactions"]) ?? .pdf)
        }
        guard let holding else {
            throw kind.error("the archive's content is not named", hint: "holding: [pdf, camt]")
        }
        var kinds: [DocumentKind] = []
        for item in try holding.items("holding") {
            let kind = try item.documentKind()
            guard !kinds.contains(kind) else { throw item.error("“\(kind.rawValue)” is given twice") }
            kinds.append(kind)
        }
        guard !kinds.isEmpty else { throw holding.error("“holding” names nothing", hint: "holding: [pdf, camt]") }
        return .zip(of: kinds.sorted(), named: try named?.template("named"))
    }

    private func documentKind(or others: [String] = []) throws(ScriptSyntaxError) -> DocumentKind {
        let name = try text("a kind of document")
        let known = DocumentKind.allCases.map(\.rawValue) + others
        guard let kind = DocumentKind(rawValue: name) else {
            throw error(
                "“\(name)” is not a kind of document",
                hint: nearest(to: name, among: known).map { "did you mean “\($0)”?" }
                    ?? "the kinds are: \(known.joined(separator: ", "))")
        }
        return kind
    }

    /// Reads `accounts:`.
    func accountList() throws(ScriptSyntaxError) -> AccountList {
        let fields = try fields("accounts", example: "accounts: { names: .account-name, alias: \"^[A-Za-z ]+\" }")
        let alias = try fields["alias"]?.text("alias")
        if let json = fields["json"] {
            if let names = fields["names"] { throw names.error("“names” is for a page; in an answer, give “name”") }
            guard let name = fields["name"] else {
                throw error("“accounts” does not say where the name of each is", hint: "name: $.name")
            }
            return AccountList(
                json: try json.text("a JSONPath"), name: try name.text("a JSONPath"),
                id: try fields["id"]?.text("a JSONPath"), alias: alias)
        }
        for name in ["name", "id"] {
            if let field = fields[name] { throw field.error("“\(name)” needs json: \"$.accounts[*]\"") }
        }
        guard let names = fields["names"] else {
            throw error("“accounts” does not say where their names are", hint: "names: .account-name")
        }
        return AccountList(names: try names.locator(as: .css), alias: alias)
    }
}
