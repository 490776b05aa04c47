import Encodings
import Selectors

// Values, conditions and locators in words, as the phone, the terminal and failure reports show them. Whatever the author
// wrote is a value inside a line here: it cannot begin another one, nor hide a part of it.

extension Value {
    /// The credential that the value is, or is a part of.
    package var credentialName: String? {
        switch self {
        case .credential(let name), .character(of: let name): name
        case .template, .captured, .number: nil
        }
    }

    /// True for a credential, or a part of one.
    package var isCredential: Bool { credentialName != nil }
}

extension Value {
    /// Describes the value, with its template filled in by `filled`. A credential appears by name.
    public func words(filling filled: (Template) -> String) -> String {
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
    /// Describes the locator, with the templates in it filled in by `filled`.
    public func words(filling filled: (Template) -> String) -> String { filling { filled(Template($0)) }.description }

    /// The locator with its texts as written, ready to stand in a line.
    var inLine: String { filling { $0.inLine() }.description }

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

extension ClosedRange<Int> {
    /// The range as statuses of answers.
    var asStatuses: String { "a status from \(lowerBound) to \(upperBound)" }
}
