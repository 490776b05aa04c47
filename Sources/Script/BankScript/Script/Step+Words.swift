import Encodings
import Selectors

// Steps in words, as the phone, the terminal and failure reports show them. Whatever the author wrote is a value inside a
// line here: it cannot begin another one, nor hide a part of it.

extension Action {
    /// The action in words, with templates as written. A credential appears by name, never by value.
    public var words: String { words { $0.source } }

    /// Describes the action, with templates filled in by `filling`.
    public func words(filling: (Template) -> String) -> String {
        func filled(_ template: Template) -> String { filling(template).inLine() }
        func inWords(_ locator: Locator) -> String { locator.filling { filled(Template($0)) }.description }
        return switch self {
        case .open(let reference): "open \(filled(reference))"
        case .follow(let link): "follow \(inWords(link))"
        case .fill(let field, let value): "fill \(inWords(field)) with \(value.words(filling: filled))"
        case .choose(let list, .template(let option)): "choose “\(filled(option))” in \(inWords(list))"
        case .choose(let list, let option): "choose \(option.words(filling: filled)) in \(inWords(list))"
        case .check(let box, let isOn): "\(isOn ? "check" : "uncheck") \(inWords(box))"
        case .press(let button): "press \(inWords(button))"
        case .pressEach(let key, let name): "press \(inWords(key)) for each character of the \(name.inLine())"
        case .submit(let submit): "submit the form \(inWords(submit.form))" + submit.fields.words
        case .enter(let frame): "enter \(inWords(frame))"
        case .secondFactor(let step): step.words(locating: inWords)
        case .expect(let condition): "expect \(condition.words(filling: filled))"
        case .fail(let code, let condition, _): "fail with \(code.rawValue) if \(condition.words(filling: filled))"
        case .when(let condition, _, _): "when \(condition.words(filling: filled))"
        case .search(let search):
            switch search.pages {
            case .html(let target, _): "search for \(inWords(target)), at most \(search.limit) pages"
            case .json(let path, _, _): "search for \(filled(path)), at most \(search.limit) answers"
            }
        case .capture(let capture): "capture \(capture.name.inLine())"
        case .request(let request): "request \(request.words(filling: filled))"
        case .waitUntil(let wait): "wait until \(wait.condition.words(filling: filled))"
        case .download(let download):
            switch download.source {
            case .control(let control): "download \(inWords(control))\(download.content.words(filling: filled))"
            case .open(let reference): "download \(filled(reference))\(download.content.words(filling: filled))"
            case .request(let request):
                "download \(request.words(filling: filled))\(download.content.words(filling: filled))"
            case .submit(let submit):
                "download the answer to the form \(inWords(submit.form))" + submit.fields.words
                    + download.content.words(filling: filled)
            case .encoded(let path):
                "download \(filled(path)) of the answer, out of base64\(download.content.words(filling: filled))"
            case .printedPage: "download the page, printed as a PDF"
            }
        }
    }
}

extension RequestStep {
    /// Names the method, the address and the credentials in the body.
    fileprivate func words(filling filled: (Template) -> String) -> String {
        let posted = Set((body?.credentials ?? []) + form.compactMap(\.value.credentialName)).sorted().map {
            "the \($0.inLine())"
        }
        let credentials = (posted + headCredentials.map { "the \($0.name.inLine()), \($0.place.rawValue)" }).joined(
            separator: ", ")
        return "\(method.inLine()) \(filled(reference))" + (credentials.isEmpty ? "" : " with \(credentials)")
    }
}

extension RequestStep {
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

extension RequestStep.Body {
    fileprivate var credentials: [String] {
        switch self {
        case .value(let value) where value.credentialName != nil: [value.credentialName].compactMap(\.self)
        case .array(let items): items.flatMap(\.credentials)
        case .object(let members): members.values.flatMap(\.credentials)
        case .value, .number, .bool, .null: []
        }
    }
}

extension [FormField] {
    /// The names of the credentials that the fields hold.
    fileprivate var words: String {
        let names = Set(compactMap(\.value.credentialName)).sorted()
        return names.isEmpty ? "" : " with " + names.map { "the \($0.inLine())" }.joined(separator: ", ")
    }
}

extension Value {
    /// The credential that the value is, or is a part of.
    package var credentialName: String? {
        switch self {
        case .credential(let name), .character(of: let name): name
        case .template, .captured, .number: nil
        }
    }
}

extension SecondFactorStep {
    package func words(locating inWords: (Locator) -> String) -> String {
        switch method {
        case .code(let field, _): "second factor: a code for \(inWords(field))"
        case .push: "second factor: an approval in the bank's own app"
        case .choice(let choices): "second factor: a choice among \(inWords(choices))"
        case .captured(let name): "second factor: a code, kept as \(name.inLine())"
        }
    }
}

extension Value {
    package func words(filling filled: (Template) -> String) -> String {
        switch self {
        case .template(let template): "“\(filled(template).inLine())”"
        case .credential(let name): "the \(name.inLine())"
        case .captured(let name): "the captured \(name.inLine())"
        case .number(let template): "the number \(filled(template).inLine())"
        case .character(of: let name): "a character of the \(name.inLine()), at the position that the label names"
        }
    }
}

extension Condition {
    /// The condition in words, with templates as written.
    public var words: String { words { $0.source } }

    /// Describes the condition, with templates filled in by `filling`.
    public func words(filling: (Template) -> String) -> String {
        func filled(_ template: Template) -> String { filling(template).inLine() }
        return switch self {
        case .shows(let locator): "the page shows \(locator.filling { filled(Template($0)) })"
        case .says(let text): "the page says “\(filled(text))”"
        case .titled(let text): "the page is titled “\(filled(text))”"
        case .path(let path): "the page is at \(path.inLine())"
        case .status(let range):
            range.count == 1
                ? "the status is \(range.lowerBound)" : "the status is \(range.lowerBound)–\(range.upperBound)"
        case .json(let path, let text):
            text.map { "the answer's \(filled(path)) is “\(filled($0))”" } ?? "the answer has \(filled(path))"
        case .equal(let left, let right): "“\(filled(left))” is “\(filled(right))”"
        case .not(let condition): "not: \(condition.words(filling: filled))"
        case .all(let conditions): conditions.map { $0.words(filling: filled) }.joined(separator: " and ")
        case .any(let conditions): conditions.map { $0.words(filling: filled) }.joined(separator: " or ")
        }
    }
}

extension Locator {
    /// Returns the locator with each of its texts replaced, for example by filling in templates.
    public func filling<Failure>(_ fill: (String) throws(Failure) -> String) throws(Failure) -> Locator {
        var copy = self
        copy.target =
            switch target {
            case .css(let selector): .css(try fill(selector))
            case .xpath(let path): .xpath(try fill(path))
            case .field(let name): .field(try name.filling(fill))
            case .button(let name): .button(try name.filling(fill))
            case .link(let name): .link(try name.filling(fill))
            case .control(let name): .control(try name.filling(fill))
            case .row(let text): .row(try text.filling(fill))
            case .cell(let header): .cell(header: try header.filling(fill))
            case .text(let text): .text(try text.filling(fill))
            case .heading(let text): .heading(try text.filling(fill))
            }
        if let hasText { copy.hasText = try hasText.filling(fill) }
        if let outer = scope.first { copy.scope = [try outer.filling(fill)] }
        copy.alternatives = try alternatives.map { other throws(Failure) in try other.filling(fill) }
        return copy
    }
}

extension TextMatch {
    func filling<Failure>(_ fill: (String) throws(Failure) -> String) throws(Failure) -> TextMatch {
        switch self {
        case .name(let name): .name(try fill(name))
        case .exact(let text): .exact(try fill(text))
        case .regex(let pattern): .regex(try fill(pattern))
        }
    }
}

extension DownloadStep.Content {
    /// Nothing for a PDF; otherwise ` as csv`, ` as zip of camt and pdf`, or ` as zip of pdf, each named “2026-01”`.
    fileprivate func words(filling filled: (Template) -> String) -> String {
        switch self {
        case .document(.pdf): ""
        case .document(let kind): " as \(kind.rawValue)"
        case .zip(let kinds, let name):
            " as zip of \(kinds.map(\.rawValue).joined(separator: " and "))"
                + (name.map { ", each named “\(filled($0))”" } ?? "")
        case .transactions(let mapping): " as transactions, each \(filled(mapping.entries))"
        }
    }
}
