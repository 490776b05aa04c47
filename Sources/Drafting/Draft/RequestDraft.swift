import Authoring
import BankScript
import DOM
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import JSON
import Selectors

/// Drafts the steps of a bank that is an app: its script signs in, lists and fetches with JSON requests, so the script
/// sends the same ones. Values that the app took from an earlier answer or its page become captures.
///
/// It also drafts the requests by which the script of a bank's page fetched a document.
struct RequestDraft {
    private struct Call {
        let exchange: Exchange
        let index: Int
        var sent: JSONValue?
        var answer: JSONValue?
        /// Requests that repeat this one until the answer changes.
        var polls: [Exchange] = []
    }

    /// A value of an earlier answer, and where it stands.
    private struct Origin {
        /// The index of the call; -1 for the page.
        var call: Int
        var source: CaptureStep.Source
        var filter: String?
        var name: String
        var text: String
        var isSecret: Bool
    }

    private let home: String
    /// The page whose script makes the calls.
    private let page: Exchange?
    /// The values that the page has in meta elements and hidden fields, and those of the cookies it set.
    private let pageOrigins: [Origin]
    private var calls: [Call] = []
    private let document: Exchange
    private var signOut: Exchange?
    private(set) var period: RecordedMonth?
    private let locale: String
    private var captured: [String: Origin] = [:]
    /// The captures to write behind each call, by its index; before the first call: -1.
    private var captures: [Int: [CaptureStep]] = [:]
    private var questions: [String] = []
    /// Requests with a form that no step repeats, because no JSON is in them.
    private var forms: [Exchange] = []

    /// Returns nil unless the recording has a sign-in by JSON and a PDF that a script of the page fetched.
    init?(_ archive: HTTPArchive, home: String, locale: String) {
        let exchanges = archive.entries.map(\.exchange).filter { $0.status > 0 && $0.method != "OPTIONS" }
        guard let last = exchanges.firstIndex(where: \.isPDF), exchanges[..<last].contains(where: Self.isSignIn) else {
            return nil
        }
        let first = exchanges[..<last].firstIndex(where: Self.isCall) ?? last
        let pages = exchanges[..<first].filter { $0.method == "GET" && $0.isPage && (200...299).contains($0.status) }
        self.init(
            exchanges[..<last], on: pages.last, to: exchanges[last], home: home, locale: locale,
            settingCookies: exchanges[..<first])
        signOut = exchanges[(last + 1)...].first { exchange in
            exchange.method == "DELETE" || BankingWords.isSignOut(exchange.url.withoutQuery.replacing("/", with: " "))
        }
    }

    /// Drafts the requests by which the script of an open page fetched a document.
    init(_ archive: HTTPArchive, on page: Exchange, to document: Exchange, home: String, locale: String) {
        let calls = archive.exchanges.filter {
            $0.status > 0 && $0.method != "OPTIONS" && $0.startedAt > page.startedAt
                && $0.startedAt < document.startedAt
        }
        let earlier = archive.exchanges.filter { $0.startedAt <= page.startedAt }
        self.init(calls[...], on: page, to: document, home: home, locale: locale, settingCookies: earlier[...])
    }

    private init(
        _ exchanges: ArraySlice<Exchange>, on page: Exchange?, to document: Exchange, home: String, locale: String,
        settingCookies earlier: ArraySlice<Exchange>
    ) {
        self.home = home
        self.locale = locale
        self.page = page
        self.document = document
        pageOrigins = earlier.flatMap { Self.cookies(setBy: $0, call: -1) } + (page.map(Self.values(of:)) ?? [])
        for (index, exchange) in exchanges.enumerated() {
            guard Self.isCall(exchange) else {
                if exchange.method != "GET", exchange.requestBody?.isEmpty == false { forms.append(exchange) }
                continue
            }
            let key = RecordedRequest(exchange)
            if let previous = calls.last, previous.exchange.url == exchange.url, exchange.method == "GET",
                RecordedRequest(previous.exchange) == key
            {
                calls[calls.count - 1].polls.append(exchange)
                calls[calls.count - 1].answer = exchange.jsonAnswer
                continue
            }
            calls.append(
                Call(exchange: exchange, index: index, sent: exchange.jsonSent, answer: exchange.jsonAnswer))
        }
    }

    private static func isCall(_ exchange: Exchange) -> Bool {
        guard (200...299).contains(exchange.status) else { return false }
        return exchange.jsonAnswer != nil || exchange.jsonSent != nil
    }

    /// The questions, and what the steps leave out, for the end of the draft.
    var remarks: [String] {
        var lines = questions.map { DraftQuestion.mark + $0 }
        let unused = calls.indices.filter { !isNeeded($0) }.map { calls[$0].exchange }
        if !unused.isEmpty {
            lines.append("Left out, because no later request uses their answers:")
            lines += Self.listed(unused)
        }
        if !forms.isEmpty {
            lines.append(DraftQuestion.mark + "Do these forms belong to the way to the statement? No step sends them:")
            lines += Self.listed(forms)
        }
        return lines
    }

    private func isNeeded(_ index: Int) -> Bool {
        captures[index] != nil || calls[index].exchange.method != "GET"
    }

    private static func listed(_ exchanges: [Exchange]) -> [String] {
        var lines: [String] = []
        for exchange in exchanges {
            let names = RecordedRequest(exchange).fieldNames
            let line =
                "  \(exchange.method) \(Mask().url(exchange.url.withoutQuery))"
                + (names.isEmpty ? "" : " with \(names.joined(separator: ", "))")
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }

    private static func isSignIn(_ exchange: Exchange) -> Bool {
        // A form that leads to a page is the sign-in of a bank of pages.
        isCall(exchange)
            && exchange.sentNames.contains { credential(for: $0) == "password" }
    }

    /// Returns the credential or code that a member of a request holds; nil for other members.
    private static func credential(for name: String) -> String? {
        let name = name.lowercased()
        if ["password", "passwort", "passwd", "pwd", "pin", "kennwort", "secret"].contains(where: name.contains) {
            return "password"
        }
        if ["username", "user", "login", "loginid", "userid", "customer", "customernumber", "kundennummer", "email"]
            .contains(name)
        {
            return "username"
        }
        let isCode =
            ["otp", "tan", "code", "passcode", "onetimecode", "securitycode"].contains(name)
            || name.hasSuffix("otp") || name.hasSuffix("tan")
        return isCode ? ReplayAnswers.codeName : nil
    }

    // MARK: Steps

    /// - Parameter isOpen: true when the steps before these have opened the page.
    mutating func make(onOpenPage isOpen: Bool = false) -> (steps: [DraftedStep], finally: [Step]) {
        // Backwards: a call is needed if it changes something, or if a later one uses its answer.
        findPeriod()
        let download = request(document, at: calls.count)
        var needed: [Int: [DraftedStep]] = [:]
        for index in calls.indices.reversed() {
            if isNeeded(index) { needed[index] = steps(for: index) }
        }
        var steps: [DraftedStep] = []
        if !isOpen, let page, captures[-1] != nil || !pageOrigins.allSatisfy({ $0.source.isPart }) {
            let address = String(page.url.prefix { $0 != "#" })
            // A query may hold a code or a session's name, which is used up.
            let isPlain = Mask().url(address) == address
            let kept = isPlain ? address : address.withoutQuery
            let path = local(kept)
            steps.append(
                DraftedStep(
                    .open(Template(path)),
                    remarks: isPlain
                        ? [] : [DraftQuestion.mark + "How does a person get here? The recorded address had a query."]))
        }
        steps += (captures[-1] ?? []).map { DraftedStep(.capture($0)) }
        for index in calls.indices {
            guard let own = needed[index] else { continue }
            steps += own
            steps += (captures[index] ?? []).map { DraftedStep(.capture($0)) }
        }
        steps.append(DraftedStep(.download(DownloadStep(source: .request(download)))))
        let finally = signOut.map { [Step(.request(request($0, at: calls.count)))] } ?? []
        return (steps, finally)
    }

    private mutating func steps(for index: Int) -> [DraftedStep] {
        let call = calls[index]
        var steps: [DraftedStep] = []
        if call.exchange.sentNames.contains(where: { Self.credential(for: $0) == ReplayAnswers.codeName }) {
            steps.append(
                DraftedStep(
                    .secondFactor(
                        SecondFactorStep(method: .captured(as: ReplayAnswers.codeName), limit: .minutes(2))),
                    .signsIn,
                    remarks: ["The code comes from your authenticator if one is linked; otherwise you are asked."]))
        }
        let step = request(call.exchange, at: index)
        if !call.polls.isEmpty, let (path, value) = Self.change(from: call.exchange.jsonAnswer, to: call.answer) {
            let wait = WaitStep(
                condition: .json(Template(path), is: Template(value)), poll: step, interval: .seconds(2),
                limit: .minutes(5))
            return steps + [DraftedStep(.waitUntil(wait))]
        }
        let isSignIn = Self.isSignIn(call.exchange)
        let question =
            DraftQuestion.mark + "What does the bank answer to a wrong password? Describe it below: "
            + "- fail: { BANK_LOGIN_FAILED: { json: $.error }, reason: wrong_credentials }"
        return steps + [DraftedStep(.request(step), isSignIn ? .signsIn : .plain, remarks: isSignIn ? [question] : [])]
    }

    /// Returns the member that changed, and its last value.
    private static func change(from first: JSONValue?, to last: JSONValue?) -> (String, String)? {
        let before = first.map { Dictionary($0.texts.map { ($0.path, $0.text) }) { old, _ in old } } ?? [:]
        let after = last?.texts ?? []
        return after.first { before[$0.path] != nil && before[$0.path] != $0.text }.map { ($0.path, $0.text) }
            ?? after.first { before[$0.path] == nil }.map { ($0.path, $0.text) }
    }

    // MARK: One request

    private mutating func request(_ exchange: Exchange, at index: Int) -> RequestStep {
        let expected = 200...299
        var numbers: [String] = []
        var sent: RequestStep.Body?
        if let json = exchange.jsonSent { sent = body(json, named: "", at: index, &numbers) }
        var form: [FormField] = []
        for field in exchange.formSent ?? [] {
            form.append(FormField(field.name, value(field.value, named: field.name, at: index)))
        }
        if !numbers.isEmpty {
            questions.append(
                "\(exchange.method) \(Mask().url(exchange.url.withoutQuery)) sends \(numbers.joined(separator: ", ")) "
                    + "as recorded: is one of these numbers yours, or of the month?")
        }
        return RequestStep(
            method: exchange.method, reference: Template(reference(of: exchange, at: index)),
            headers: headers(of: exchange, at: index), body: sent, form: form, expected: expected)
    }

    /// Returns the path of an address at the bank's first origin; other addresses whole.
    private func local(_ address: String) -> String {
        address.hasPrefix(home + "/") ? String(address.dropFirst(home.count)) : address
    }

    private mutating func reference(of exchange: Exchange, at index: Int) -> String {
        let address = String(exchange.url.prefix { $0 != "#" })
        let local = local(address)
        // The whole address, then its longest parts, stood in an answer before.
        if let name = capture(local, before: index) ?? capture(address, before: index) { return "{{ \(name) }}" }
        var result = local
        for origin in origins(before: index).sorted(by: { $0.text.count > $1.text.count }) {
            guard origin.text.count >= 4, !origin.isSecret, Self.isIdentifier(origin.text),
                let range = result.range(of: origin.text), !result[..<range.lowerBound].hasSuffix("{{ "),
                period?.parametrised(origin.text) == nil || period?.parametrised(origin.text) == origin.text
                    || origin.text.count > 7
            else { continue }
            result.replaceSubrange(range, with: "{{ \(keep(origin)) }}")
        }
        return period?.parametrised(result) ?? result
    }

    /// Returns whether a value is specific enough to be traced by it alone.
    private static func isIdentifier(_ text: String) -> Bool {
        text.contains(where: \.isNumber) && !text.contains(where: \.isWhitespace)
    }

    private static let browsers: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-length", "content-type",
        "cookie", "dnt", "host", "if-none-match", "if-modified-since", "origin", "pragma", "priority", "referer",
        "upgrade-insecure-requests", "user-agent",
    ]

    private mutating func headers(of exchange: Exchange, at index: Int) -> [RequestStep.Header] {
        var result: [RequestStep.Header] = []
        for header in exchange.requestHeaders {
            let name = header.name.lowercased()
            guard !Self.browsers.contains(name), !name.hasPrefix("sec-"), !name.hasPrefix(":") else { continue }
            var value = header.value.trimmingCharacters(in: .whitespaces)
            var scheme: String?
            if name == "authorization" {
                // Some apps send a bare token, without the scheme of RFC 9110, section 11.4.
                let halves = value.split(separator: " ", maxSplits: 1).map(String.init)
                if halves.count == 2 {
                    scheme = halves[0]
                    value = halves[1]
                } else if value.lowercased() == "bearer" {
                    // A scheme without a token, as apps send it before they have one.
                    continue
                }
            }
            if let captured = capture(value, before: index, isSecret: true) {
                result.append(RequestStep.Header(header.name, .captured(captured), scheme: scheme))
            } else if name == "authorization" || Mask().hidesValues(named: name) {
                questions.append("Where does the app take the value of the header \(header.name) from?")
            } else {
                result.append(RequestStep.Header(header.name, .template(Template(value)), scheme: scheme))
            }
        }
        return result
    }

    /// - Parameter numbers: gains the numbers that are sent as recorded, with their names.
    private mutating func body(
        _ value: JSONValue, named name: String, at index: Int, _ numbers: inout [String]
    ) -> RequestStep.Body {
        switch value {
        case .object(let members):
            var body: [String: RequestStep.Body] = [:]
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                body[key] = self.body(member, named: key, at: index, &numbers)
            }
            return .object(body)
        case .array(let items): return .array(items.map { self.body($0, named: name, at: index, &numbers) })
        case .bool(let flag): return .bool(flag)
        case .null: return .null
        case .number(let number):
            if let period {
                if MonthNames.isLabel(name), number == Double(period.month) { return .value(.number("{{ month }}")) }
                if number == Double(period.year) { return .value(.number("{{ year }}")) }
            }
            if let name = capture(value.compactText(), before: index) { return .value(.number("{{ \(name) }}")) }
            let written = "\(name.isEmpty ? "" : name + " ")\(value.compactText())"
            if !numbers.contains(written) { numbers.append(written) }
            return .number(number)
        case .string(let text): return .value(self.value(text, named: name, at: index))
        }
    }

    private mutating func value(_ text: String, named name: String, at index: Int) -> Value {
        switch Self.credential(for: name) {
        case ReplayAnswers.codeName?: return .captured(ReplayAnswers.codeName)
        case let credential?: return .credential(credential)
        case nil: break
        }
        if let captured = capture(text, before: index, isSecret: Mask().hidesValues(named: name)) {
            return self.captured[captured]?.isSecret == true
                ? .captured(captured) : .template(Template("{{ \(captured) }}"))
        }
        return .template(Template(period?.parametrised(text) ?? text))
    }

    // MARK: Tracing

    /// Returns the name of a capture for a value that an earlier answer has; nil when none has it.
    private mutating func capture(_ text: String, before index: Int, isSecret: Bool = false) -> String? {
        guard text.count >= 4 else { return nil }
        // A page's own month is what it shows now, not what is asked for.
        let isOfPeriod = period.map { $0.parametrised(text) != text } ?? false
        let known = origins(before: index).filter { $0.call >= 0 || !$0.source.isPart || !isOfPeriod }
        guard var origin = known.last(where: { $0.text == text }) ?? Self.decoded(text, among: known) else {
            return nil
        }
        origin.isSecret = origin.isSecret || isSecret
        return keep(origin)
    }

    /// Returns the cookie whose value is the text after percent-decoding. Scripts often decode a cookie before they send it.
    private static func decoded(_ text: String, among origins: [Origin]) -> Origin? {
        var origin = origins.last {
            if case .cookie = $0.source { $0.text.removingPercentEncoding == text } else { false }
        }
        origin?.filter = "urldecode"
        return origin
    }

    private mutating func keep(_ origin: Origin) -> String {
        if let known = captured.first(where: {
            $0.value.call == origin.call && $0.value.source == origin.source && $0.value.filter == origin.filter
        }) {
            return known.key
        }
        var name = origin.name
        var number = 2
        let taken = ["month", "year", "first_day", "last_day", ReplayAnswers.codeName]
        while captured[name] != nil || taken.contains(name) {
            name = "\(origin.name)_\(number)"
            number += 1
        }
        captured[name] = origin
        captures[origin.call, default: []].append(
            CaptureStep(name: name, source: origin.source, filter: origin.filter, isSecret: origin.isSecret))
        return name
    }

    private static func cookies(setBy exchange: Exchange, call: Int) -> [Origin] {
        exchange.setCookies.filter { !$0.value.isEmpty }.map { cookie in
            Origin(
                call: call, source: .cookie(cookie.name), name: slug(cookie.name), text: cookie.value, isSecret: true)
        }
    }

    /// Lists what a page gives its script: the contents of meta elements, and the values of hidden fields.
    private static func values(of page: Exchange) -> [Origin] {
        let body = page.responseBody ?? []
        guard let document = try? Document.parse(body, contentType: page.header("content-type"), url: page.url),
            let root = document.root
        else { return [] }
        return root.descendants.compactMap { element in
            let isMeta = element.name == "meta"
            guard isMeta || element.name == "input" && element[attribute: "type"]?.lowercased() == "hidden",
                let name = element[attribute: "name"],
                !name.unicodeScalars.contains(where: { "\"\\".unicodeScalars.contains($0) }),
                let text = element[attribute: isMeta ? "content" : "value"], !text.isEmpty
            else { return nil }
            let locator = Locator.css("\(element.name)[name=\"\(name)\"]")
            guard (try? document.elements(locator))?.count == 1 else { return nil }
            return Origin(
                call: -1, source: .attribute(isMeta ? "content" : "value", of: locator), name: slug(name), text: text,
                isSecret: Mask().hidesValues(named: name))
        }
    }

    /// Lists the values of the page and of the answers before a call: JSON members, headers and cookies.
    private func origins(before index: Int) -> [Origin] {
        var result = pageOrigins
        for (number, call) in calls[..<min(index, calls.count)].enumerated() {
            result += Self.cookies(setBy: call.exchange, call: number)
            for header in call.exchange.responseHeaders {
                let name = header.name.lowercased()
                if name.contains("token") || name.contains("csrf") || name.contains("xsrf") {
                    result.append(
                        Origin(
                            call: number, source: .header(header.name), name: Self.slug(name), text: header.value,
                            isSecret: true))
                }
            }
            for member in call.answer?.texts ?? [] {
                result.append(
                    Origin(
                        call: number, source: .jsonPath(path(member, in: call.answer)), name: Self.slug(member.name),
                        text: member.text, isSecret: Mask().hidesValues(named: member.name)))
            }
        }
        return result
    }

    /// Returns a path that finds the member by the month and the year of its item, if it is part of a list.
    private func path(_ member: JSONValue.Text, in answer: JSONValue?) -> String {
        guard let item = member.items.last, let period, let answer else { return member.path }
        let siblings = answer.texts.filter {
            $0.path.hasPrefix(item + ".") && !$0.path.dropFirst(item.count + 1).contains(".")
        }
        var tests: [String] = []
        for sibling in siblings where sibling.path != member.path {
            let name = sibling.name
            guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) else { continue }
            if sibling.isNumber {
                if sibling.text == "\(period.month)", MonthNames.isLabel(name) {
                    tests.append("@.\(name) == {{ month }}")
                }
                if sibling.text == "\(period.year)" { tests.append("@.\(name) == {{ year }}") }
            } else if let found = RecordedMonth(in: sibling.text, locale: locale), found.month == period.month,
                found.year == period.year, !sibling.text.contains("'")
            {
                tests.append("@.\(name) == '\(period.parametrised(sibling.text))'")
            }
        }
        let names = tests.filter { $0.contains("month") }
        guard !names.isEmpty else { return member.path }
        // One test that has both the month and the year is enough.
        let whole = tests.first { $0.contains("month") && $0.contains("year") }
        let filter = whole ?? tests.joined(separator: " && ")
        let list = item.prefix(upTo: item.lastIndex(of: "[") ?? item.endIndex)
        return "\(list)[?\(filter)]\(member.path.dropFirst(item.count))"
    }

    /// Finds the month of the statement in the item of a list that the later requests mention.
    private mutating func findPeriod() {
        let later =
            ([document.url] + calls.map(\.exchange.url)).joined(separator: " ")
            + calls.compactMap { $0.exchange.requestBody.map { String(decoding: $0, as: UTF8.self) } }.joined()
        for call in calls {
            for member in call.answer?.texts ?? [] {
                // A year or a word says nothing about which item a later request means.
                guard let item = member.items.last, member.text.count >= 4, Self.isIdentifier(member.text),
                    !member.isNumber || member.text.count > 4, later.contains(member.text), let answer = call.answer
                else { continue }
                let siblings = answer.texts.filter { $0.path.hasPrefix(item + ".") }
                let month = siblings.first { $0.isNumber && MonthNames.isLabel($0.name) }.flatMap { Int($0.text) }
                let year = siblings.first { $0.isNumber && (1990...2100).contains(Int($0.text) ?? 0) }
                    .flatMap { Int($0.text) }
                if let month, let year, 1...12 ~= month {
                    period = RecordedMonth(in: "\(year)-\(month < 10 ? "0" : "")\(month)", locale: locale)
                    if period != nil { return }
                }
                for sibling in siblings {
                    if let found = RecordedMonth(in: sibling.text, locale: locale) {
                        period = found
                        return
                    }
                }
            }
        }
        period = RecordedMonth(in: document.url, locale: locale) ?? calls.lazy.reversed().compactMap(asked).first
    }

    /// Returns the month that a call asks for, in its address or its body.
    private func asked(by call: Call) -> RecordedMonth? {
        // A longer text is a time, such as that of the call itself.
        let texts = (call.sent?.texts.map(\.text) ?? call.exchange.formSent?.map(\.value) ?? []).filter {
            $0.count <= 14
        }
        return RecordedMonth(in: call.exchange.url, locale: locale)
            ?? texts.lazy.compactMap { RecordedMonth(in: $0, locale: locale) }.first
    }

    private static func slug(_ name: String) -> String {
        let letters = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let text = String(letters).split(separator: "_").joined(separator: "_")
        return text.first?.isLetter == true ? text : "value"
    }
}

extension CaptureStep.Source {
    /// True for a part of a page.
    fileprivate var isPart: Bool {
        if case .attribute = self { true } else { false }
    }
}

extension Exchange {
    /// The JSON object or list that was sent.
    fileprivate var jsonSent: JSONValue? { Self.json(requestBody) }

    /// The form that was sent; nil for another body.
    fileprivate var formSent: [FormFields.Field]? {
        guard jsonSent == nil, let requestBody, !requestBody.isEmpty,
            requestHeader("content-type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        else { return nil }
        return FormFields(urlEncoded: String(decoding: requestBody, as: UTF8.self)).fields
    }

    /// The names of the form's fields or of the JSON object's members.
    fileprivate var sentNames: [String] {
        jsonSent?.objectValue?.keys.sorted() ?? formSent?.map(\.name) ?? []
    }

    fileprivate var jsonAnswer: JSONValue? {
        mediaType?.hasSuffix("json") == true ? Self.json(responseBody) : nil
    }

    private static func json(_ body: [UInt8]?) -> JSONValue? {
        guard let body, let value = try? JSONReader.read(body, limits: JSONLimits(size: max(body.count, 1))),
            value.objectValue != nil || value.arrayValue != nil
        else { return nil }
        return value
    }
}

extension JSONValue {
    /// A text or a number in a JSON document.
    fileprivate struct Text {
        var path: String
        /// The name of the member, also of one that is in a list.
        var name: String
        var text: String
        var isNumber: Bool
        /// The paths of the list items around it, the outermost first.
        var items: [String]
    }

    /// The texts and numbers, in the document's order.
    fileprivate var texts: [Text] {
        var result: [Text] = []
        func walk(_ value: JSONValue, _ path: String, _ name: String, _ items: [String]) {
            switch value {
            case .object(let members):
                for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                    let isPlain =
                        key.first?.isNumber == false
                        && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
                    let quoted = key.escaping(["\\": "\\\\", "'": "\\'"])
                    walk(member, isPlain ? "\(path).\(key)" : "\(path)['\(quoted)']", key, items)
                }
            case .array(let list):
                for (index, item) in list.enumerated() {
                    walk(item, "\(path)[\(index)]", name, items + ["\(path)[\(index)]"])
                }
            case .string(let text):
                result.append(Text(path: path, name: name, text: text, isNumber: false, items: items))
            case .number:
                result.append(
                    Text(path: path, name: name, text: value.compactText(), isNumber: true, items: items))
            case .null, .bool: break
            }
        }
        walk(self, "$", "value", [])
        return result
    }
}
