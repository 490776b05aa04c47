import BankScript
import Encodings
import Foundation
import Secrets
import Selectors

extension ScriptExecution {
    func perform(_ request: RequestStep) async throws {
        let made = try await engineRequest(request)
        asked = made.reference
        answer = nil
        answerMarkup = nil
        unreadable = nil
        try await countRequest()
        let sent = items(of: request)
        try ledger?.send(sent)
        let shown = headItems(of: request)
        try ledger?.show(shown)
        let reply = try await sending(sent) {
            try await self.reply(to: made, isRepeatable: request.method == "GET" && sent.isEmpty)
        }
        answer = reply.json
        answerMarkup = reply.markup
        await noteConsent()
        unreadable = reply.unreadable
        answerHeaders = reply.headers
        note(answer: reply.status, to: sent, showing: shown)
        guard request.expected.contains(reply.status) else {
            let asked = RetryAfter(reply.headers, now: services.clock.now)
            let advice =
                asked.map { "; it asks to wait \($0.words) before the next run" }
                ?? (reply.status == 429 ? "; it is asked too often: run less often" : "")
            throw RunFailure(
                .navigationFailed,
                reason: reply.status >= 500 ? .serverError : reply.status == 429 ? .refusedByBank : nil,
                message: "\(request.method) \(sanitisedURL(try fill(request.reference))) answered \(reply.status); "
                    + "expected \(request.expected.lowerBound) to \(request.expected.upperBound)\(advice)",
                bankWords: reply.json?.ownWords.map(sanitised))
        }
    }

    /// Makes a request, which is counted already, and makes it again where the server asks for that, and asking again is safe.
    private func reply(to request: EngineRequest, isRepeatable: Bool) async throws -> EngineAnswer {
        for pause in Self.pausesBetweenAttempts where isRepeatable {
            let reply = try await engine.request(request)
            let asked = RetryAfter(reply.headers, now: services.clock.now)
            guard asked != nil, let wait = Self.pause(after: reply.status, asked, usual: pause) else { return reply }
            try await services.clock.sleep(for: wait)
            try await countRequest()
        }
        return try await engine.request(request)
    }

    /// Returns what a request sends that counts: what its body holds, and one-time codes in its headers. Credentials outside the
    /// body are ``headItems(of:)``.
    func items(of request: RequestStep) -> Set<SubmissionLedger.Item> {
        let counted = request.postedValues + request.headValues.filter { $0.credentialName == nil }
        return counted.reduce(into: []) { $0.formUnion(items(of: $1)) }
    }

    /// Returns the credentials that accompany a request outside its body, and the keys that signed tokens among them.
    func headItems(of request: RequestStep) -> Set<SubmissionLedger.Item> {
        request.headValues.reduce(into: []) { found, value in
            if value.credentialName != nil { found.formUnion(items(of: value)) }
            if case .captured(let name) = value, let signer = signers[name] { found.insert(signer) }
        }
    }

    func engineRequest(_ request: RequestStep) async throws -> EngineRequest {
        let reference = try fill(request.reference)
        try checkDestination(reference, of: request)
        var headers: [(name: String, value: Input)] = []
        for header in request.headers {
            let value = try await headInput(header.value)
            headers.append((header.name, header.scheme.map { value.following($0) } ?? value))
        }
        if let basic = request.basic { headers.append(("Authorization", try await authorization(basic))) }
        var query: [(name: String, value: Input)] = []
        for field in request.query { query.append((field.name, try await headInput(field.value))) }
        var body: JSONBody<Input>?
        if let template = request.body { body = try await made(template) }
        var form: [(name: String, value: Input)] = []
        for field in request.form { form.append((field.name, try await input(field.value))) }
        return EngineRequest(
            method: request.method, reference: try absolute(reference), headers: headers, query: query, body: body,
            form: request.form.isEmpty ? nil : form)
    }

    /// Stops a request whose address leads elsewhere than the owner was shown, and one with a credential outside its body whose
    /// address could lead to several origins.
    func checkDestination(_ reference: String, of request: RequestStep) throws {
        guard let (name, _) = request.headCredentials.first else {
            return try checkDestination(reference, of: request.reference, "what the request sends")
        }
        guard script.engine == .html else {
            throw RunFailure(
                .navigationFailed,
                message: "only the engine html sends the \(name) outside a body; leave out “engine” in the script")
        }
        guard script.destinations(of: request.reference.source).count == 1 else {
            throw leadsElsewhere(reference, "the \(name)")
        }
        try checkDestination(reference, of: request.reference, "the \(name)")
    }

    /// Returns the value of an `Authorization` header for Basic authentication (RFC 7617, section 2).
    private func authorization(_ basic: RequestStep.BasicAuthentication) async throws -> Input {
        let user = try await headInput(basic.user)
        let password = try await headInput(basic.password)
        guard !user.revealed.utf8.contains(UInt8(ascii: ":")) else {
            throw RunFailure(
                .bankLoginFailed, message: "the user of Basic authentication has a colon, which it cannot have")
        }
        // A value made of secrets is one. It lives as long as the run, so that the redactor knows it.
        let pair = Secret(Data("\(user.revealed):\(password.revealed)".utf8).base64EncodedString())
        hold(pair)
        return Input.secret(pair).following("Basic")
    }

    /// Fills in a body's values; a text that is to be a number becomes one.
    ///
    /// - Parameter isHead: the values leave outside a request's body.
    func made(_ body: RequestStep.Body, isHead: Bool = false) async throws -> JSONBody<Input> {
        switch body {
        case .value(.number(let template)):
            let text = try fill(template)
            guard let number = Double(text), number.isFinite else {
                throw RunFailure(
                    .navigationFailed, message: "“\(text)” is not a number; send it as a text, without { number: … }")
            }
            return .number(number)
        case .value(let value): return .value(isHead ? try await headInput(value) : try await input(value))
        case .number(let number): return .number(number)
        case .bool(let bool): return .bool(bool)
        case .null: return .null
        case .array(let items):
            var made: [JSONBody<Input>] = []
            for item in items { made.append(try await self.made(item, isHead: isHead)) }
            return .array(made)
        case .object(let members):
            var made: [String: JSONBody<Input>] = [:]
            for (name, member) in members { made[name] = try await self.made(member, isHead: isHead) }
            return .object(made)
        }
    }

    func perform(_ capture: CaptureStep) async throws {
        var text = try await captured(from: capture.source, named: capture.name)
        if let pattern = capture.pattern { text = try matched(pattern, in: text, of: capture) }
        if let filter = capture.filterTemplate {
            let values = templateValues.merging([CaptureStep.valueName: text]) { _, own in own }
            text = try filter.filled(with: values, locale: script.locale)
        }
        codes[capture.name] = nil
        signers[capture.name] = nil
        if case .signed(let token) = capture.source { signers[capture.name] = .credential(token.key) }
        captures[capture.name] = capture.isSecret ? .secret(Secret(text)) : .text(text)
        services.tell(.captured(name: capture.name, text: capture.isSecret ? Secret.mask : sanitised(text)))
    }

    private func captured(from source: CaptureStep.Source, named name: String) async throws -> String {
        guard !script.isDevice(source) else {
            throw RunFailure(
                .navigationFailed,
                message: "a cookie of the device is a credential, which no step captures; it is sent by itself")
        }
        switch source {
        case .text(let locator):
            let located = try await locate(locator)
            if let value = try await valueInAnswer(of: located, attribute: nil) { return value }
            return try await engine.text(of: located)
        case .attribute(let attribute, let locator):
            let located = try await locate(locator)
            if let value = try await valueInAnswer(of: located, attribute: attribute) { return value }
            guard let value = try await engine.attribute(attribute, of: located) else {
                throw nothing(name, "\(located) has no attribute “\(attribute)”")
            }
            return value
        case .header(let header):
            let headers = answer == nil ? try await page.headers : answerHeaders
            guard let match = headers.last(where: { $0.name.lowercased() == header.lowercased() }) else {
                throw nothing(name, "the answer has no header “\(header)”")
            }
            return match.value
        case .cookie(let cookie):
            guard let match = await engine.cookies().last(where: { $0.name == cookie }) else {
                throw nothing(name, "the session has no cookie “\(cookie)”")
            }
            return match.value
        case .jsonPath(let path):
            guard let json = await currentJSON else {
                throw nothing(name, await unreadableJSON ?? "no JSON answer has come yet")
            }
            let path = try fill(Template(path))
            let values = try JSONPath(path).values(in: json)
            guard let value = values.first, values.count == 1 else {
                throw nothing(
                    name, "\(path) finds \(values.count) values; it has to find one",
                    candidates: json.paths(nearestTo: path))
            }
            return value.stringValue ?? value.compactText()
        case .template(let template): return try fill(template)
        case .signed(let token): return try await signed(token)
        }
    }

    /// Returns what the locator finds in the latest answer, where that holds markup and the page does not have it.
    private func valueInAnswer(of locator: Locator, attribute: String?) async throws -> String? {
        let markup = answerMarkup ?? answer?.markup ?? ""
        guard !markup.isEmpty else { return nil }
        if await engine.page() != nil, try await !engine.texts(locator).isEmpty { return nil }
        return try await engine.value(of: locator, attribute: attribute, inMarkup: markup)
    }

    private func matched(_ pattern: String, in text: String, of capture: CaptureStep) throws -> String {
        let name = capture.name
        let expression: NSRegularExpression
        do {
            expression = try NSRegularExpression(pattern: pattern)
        } catch {
            throw nothing(name, "“\(pattern)” is not a regular expression")
        }
        var time = MatchingTime()
        let match: NSTextCheckingResult?
        do {
            match = try time.firstMatch(of: expression, in: text)
        } catch {
            throw nothing(name, "“\(pattern)”: \(error)")
        }
        guard let match, let range = Range(match.range(at: match.numberOfRanges > 1 ? 1 : 0), in: text) else {
            throw nothing(name, "“\(pattern)” does not match" + (quoted(text, from: capture).map { " “\($0)”" } ?? ""))
        }
        return String(text[range])
    }

    /// Returns the beginning of a text for a message; nil for what may be a session's secret. A secret in the text is masked
    /// before the text is cut, because half a secret is not recognised.
    private func quoted(_ text: String, from capture: CaptureStep) -> String? {
        switch capture.source {
        case .cookie, .header: return nil
        case .signed: return nil
        case .text, .attribute, .jsonPath, .template:
            guard !capture.isSecret else { return nil }
            let clean = sanitised(text)
            return clean.prefix(60) + (clean.count > 60 ? "…" : "")
        }
    }

    private func nothing(_ name: String, _ why: String, candidates: [String] = []) -> RunFailure {
        RunFailure(
            .navigationFailed, reason: .layoutChanged, message: "nothing to capture as “\(name)”: \(why)",
            candidates: candidates)
    }

    /// Why the latest answer, or the page, is not read as JSON; nil where nothing came that could be.
    var unreadableJSON: String? {
        get async {
            if answer != nil { return nil }
            if let unreadable {
                return "the answer to \(sanitisedURL(asked ?? "the request")) is not JSON: \(unreadable)"
            }
            return await engine.page()?.unreadable.map { "the page is not JSON: \($0)" }
        }
    }

    /// The latest JSON answer, or the page's own JSON.
    var currentJSON: JSONValue? {
        get async {
            if let answer { return answer }
            return await engine.page()?.json
        }
    }
}

extension Input {
    /// Returns the credentials after an authentication scheme's name; a secret stays a secret.
    fileprivate func following(_ scheme: String) -> Input { map { "\(scheme) \($0)" } }
}

extension JSONValue {
    /// The parts of pages in the texts of the value, one after the other.
    fileprivate var markup: String {
        switch self {
        case .string(let text): text.contains("<") && text.contains(">") ? text + "\n" : ""
        case .array(let items): items.map(\.markup).joined()
        case .object(let members): members.sorted { $0.key < $1.key }.map(\.value.markup).joined()
        case .null, .bool, .number: ""
        }
    }
}
