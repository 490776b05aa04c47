import BankScript
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Selectors

/// Drafts the steps of a bank that is an app: its script signs in, lists and fetches with JSON requests, so the script
/// sends the same ones. Values that the app took from an earlier answer or its page become captures.
///
/// It also drafts the requests by which the script of a bank's page fetched a document.
struct RequestDraft {
    private let home: String
    /// The page whose script makes the calls.
    private let page: Exchange?
    private var tracing: ValueTracing
    private let document: Exchange
    private let privacy: DraftPrivacy
    /// The values that the request under way sends and the draft leaves out, with their names.
    private var gaps: [(name: String, reason: DraftPrivacy.Reason)] = []
    private var signOut: Exchange?
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
            settingCookies: exchanges[..<first], DraftPrivacy(archive))
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
        self.init(
            calls[...], on: page, to: document, home: home, locale: locale, settingCookies: earlier[...],
            DraftPrivacy(archive))
    }

    private init(
        _ exchanges: ArraySlice<Exchange>, on page: Exchange?, to document: Exchange, home: String, locale: String,
        settingCookies earlier: ArraySlice<Exchange>, _ privacy: DraftPrivacy
    ) {
        self.home = home
        self.privacy = privacy
        self.page = page
        self.document = document
        var calls: [RecordedCall] = []
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
                RecordedCall(exchange: exchange, index: index, sent: exchange.jsonSent, answer: exchange.jsonAnswer))
        }
        tracing = ValueTracing(
            calls, on: page, settingCookies: earlier,
            period: RecordedMonth(of: document, after: calls, locale: locale), locale: locale)
    }

    /// The month of the document; nil when no request names one.
    var period: RecordedMonth? { tracing.period }

    private var calls: [RecordedCall] { tracing.calls }

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
        tracing.captures[index] != nil || calls[index].exchange.method != "GET"
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
    static func credential(for name: String) -> String? {
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
        let download = request(document, at: calls.count)
        var needed: [Int: [DraftedStep]] = [:]
        for index in calls.indices.reversed() {
            if isNeeded(index) { needed[index] = steps(for: index) }
        }
        var steps: [DraftedStep] = []
        if !isOpen, let page, tracing.needsPage {
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
        steps += (tracing.captures[-1] ?? []).map { DraftedStep(.capture($0)) }
        for index in calls.indices {
            guard let own = needed[index] else { continue }
            steps += own
            steps += (tracing.captures[index] ?? []).map { DraftedStep(.capture($0)) }
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
        gaps = []
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
        let address = withoutCertain(reference(of: exchange, at: index))
        let step = RequestStep(
            method: exchange.method, reference: Template(address),
            headers: headers(of: exchange, at: index), body: sent, form: form, expected: expected)
        askAboutGaps(of: exchange)
        return step
    }

    /// Asks a person for the values that the draft leaves out.
    private mutating func askAboutGaps(of exchange: Exchange) {
        func names(_ reason: DraftPrivacy.Reason) -> String {
            var names: [String] = []
            for gap in gaps where gap.reason == reason && !names.contains(gap.name) { names.append(gap.name) }
            return names.joined(separator: ", ")
        }
        let call = "\(exchange.method) \(Mask().url(exchange.url.withoutQuery))"
        if case let follows = names(.follows), !follows.isEmpty {
            questions.append(
                "\(call) sends \(follows), which follows from something that was typed, such as the password; “\(DraftPrivacy.gap)” "
                    + "stands for it. How does the page make it?")
        }
        if case let own = names(.own), !own.isEmpty {
            questions.append(
                "\(call) sends \(own), which no earlier answer has and which may be yours; “\(DraftPrivacy.gap)” stands for it. "
                    + "What belongs there?")
        }
    }

    /// Leaves out the parts of an address that must not stand in a draft.
    private mutating func withoutCertain(_ address: String) -> String {
        var found: [DraftPrivacy.Reason] = []
        let clean = address.replacing(/[^\/?&=#]+/) { [privacy] match in
            let part = String(match.0)
            guard let reason = privacy.certainReason(against: part.removingPercentEncoding ?? part) else { return part }
            found.append(reason)
            return DraftPrivacy.gap
        }
        gaps += found.map { (name: "a part of its address", reason: $0) }
        return clean
    }

    /// Returns the path of an address at the bank's first origin; other addresses whole.
    private func local(_ address: String) -> String {
        address.hasPrefix(home + "/") ? String(address.dropFirst(home.count)) : address
    }

    private mutating func reference(of exchange: Exchange, at index: Int) -> String {
        let address = String(exchange.url.prefix { $0 != "#" })
        let local = local(address)
        // The whole address, then its longest parts, stood in an answer before.
        if let name = tracing.capture(local, before: index) ?? tracing.capture(address, before: index) {
            return "{{ \(name) }}"
        }
        var result = local
        for origin in tracing.origins(before: index).sorted(by: { $0.text.count > $1.text.count }) {
            guard origin.text.count >= 4, !origin.isSecret, origin.text.isIdentifier,
                let range = result.range(of: origin.text), !result[..<range.lowerBound].hasSuffix("{{ "),
                period?.parametrised(origin.text) == nil || period?.parametrised(origin.text) == origin.text
                    || origin.text.count > 7
            else { continue }
            result.replaceSubrange(range, with: "{{ \(tracing.keep(origin)) }}")
        }
        return period?.parametrised(result) ?? result
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
            if let captured = tracing.capture(value, before: index, isSecret: true) {
                result.append(RequestStep.Header(header.name, .captured(captured), scheme: scheme))
            } else if name == "authorization" || Mask().hidesValues(named: name) {
                questions.append("Where does the app take the value of the header \(header.name) from?")
            } else if privacy.certainReason(against: value) != nil {
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
            if let name = tracing.capture(value.compactText(), before: index) {
                return .value(.number("{{ \(name) }}"))
            }
            guard privacy.reason(against: value.compactText()) == nil else {
                gaps.append((name: name.isEmpty ? "a number" : name, reason: .own))
                return .value(.template(Template(DraftPrivacy.gap)))
            }
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
        if let captured = tracing.capture(text, before: index, isSecret: Mask().hidesValues(named: name)) {
            return tracing.isSecret(captured)
                ? .captured(captured) : .template(Template("{{ \(captured) }}"))
        }
        let written = period?.parametrised(text) ?? text
        if let reason = privacy.reason(against: text, written: written) {
            gaps.append((name: name.isEmpty ? "a text" : name, reason: reason))
            return .template(Template(DraftPrivacy.gap))
        }
        return .template(Template(written))
    }
}
