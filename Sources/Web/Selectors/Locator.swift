/// What to look for on a page, in a person's words: a field by its label, a button or link by its name, the row that
/// holds a text. A CSS selector or an XPath works too.
///
/// A locator is a value; an engine resolves it. Where one element is needed, no match and several matches are errors.
public struct Locator: Sendable, Hashable {
    public indirect enum Target: Sendable, Hashable {
        /// CSS Selectors Level 4.
        case css(String)
        /// XPath 1.0.
        case xpath(String)
        /// A form field by its accessible name.
        case field(TextMatch)
        case button(TextMatch)
        case link(TextMatch)
        /// A button or a link.
        case control(TextMatch)
        /// A table row, list item or other ARIA row that holds the text.
        case row(TextMatch)
        /// A table cell under, or beside, the header with that name.
        case cell(header: TextMatch)
        /// The innermost element with that text.
        case text(TextMatch)
        case heading(TextMatch)
    }

    public var target: Target
    /// Only elements that also contain this text.
    public var hasText: TextMatch?
    /// Where to look: at most one locator, in an array because a value cannot contain itself.
    public var scope: [Locator] = []
    /// Which one of several matches, from 1.
    public var nth: Int?
    /// Other ways to find the same thing, for when this one finds nothing. The program that uses an engine tries them in
    /// order; an engine looks for the first way only.
    public var alternatives: [Locator] = []

    public init(_ target: Target) {
        self.target = target
    }

    public static func css(_ selector: String) -> Locator { Locator(.css(selector)) }
    public static func xpath(_ path: String) -> Locator { Locator(.xpath(path)) }
    public static func field(_ name: TextMatch) -> Locator { Locator(.field(name)) }
    public static func button(_ name: TextMatch) -> Locator { Locator(.button(name)) }
    public static func link(_ name: TextMatch) -> Locator { Locator(.link(name)) }
    public static func control(_ name: TextMatch) -> Locator { Locator(.control(name)) }
    public static func row(_ text: TextMatch) -> Locator { Locator(.row(text)) }
    public static func cell(header: TextMatch) -> Locator { Locator(.cell(header: header)) }
    public static func text(_ text: TextMatch) -> Locator { Locator(.text(text)) }
    public static func heading(_ text: TextMatch) -> Locator { Locator(.heading(text)) }

    /// Returns the first of these locators, with the others as its ``alternatives``.
    public static func any(_ first: Locator, _ others: Locator...) -> Locator {
        var copy = first
        copy.alternatives = others
        return copy
    }

    /// This locator alone, and its alternatives.
    public var ways: [Locator] {
        var first = self
        first.alternatives = []
        return [first] + alternatives
    }

    /// Returns a copy that looks inside `outer`.
    public func within(_ outer: Locator) -> Locator {
        var copy = self
        copy.scope = [outer]
        return copy
    }

    /// Returns a copy that also requires a text.
    public func containing(_ text: TextMatch) -> Locator {
        var copy = self
        copy.hasText = text
        return copy
    }

    /// Returns a copy that picks the `n`th of several matches, from 1.
    public func nth(_ n: Int) -> Locator {
        var copy = self
        copy.nth = n
        return copy
    }
}

extension Locator: CustomStringConvertible {
    public var description: String {
        var words =
            switch target {
            case .css(let selector): "css “\(selector)”"
            case .xpath(let path): "xpath “\(path)”"
            case .field(let name): "field \(name)"
            case .button(let name): "button \(name)"
            case .link(let name): "link \(name)"
            case .control(let name): "button or link \(name)"
            case .row(let text): "row \(text)"
            case .cell(let header): "cell under \(header)"
            case .text(let text): "text \(text)"
            case .heading(let text): "heading \(text)"
            }
        if let hasText { words += " containing \(hasText)" }
        if let nth { words += " number \(nth)" }
        if let outer = scope.first { words += " in \(outer)" }
        for other in alternatives { words += ", or \(other)" }
        return words
    }
}

/// How to compare a text with the page's text. White space is folded on both sides.
public enum TextMatch: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Case is ignored. If any candidate has exactly this text, only exact matches count; otherwise candidates that
    /// contain it.
    case name(String)
    /// The whole text; case counts.
    case exact(String)
    /// A regular expression that matches any part.
    case regex(String)

    public init(stringLiteral name: String) { self = .name(name) }

    public var description: String {
        switch self {
        case .name(let text): "“\(text)”"
        case .exact(let text): "exactly “\(text)”"
        case .regex(let pattern): "/\(pattern)/"
        }
    }
}
