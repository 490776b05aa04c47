import Selectors

/// A question that a page answers with yes or no.
///
/// A string literal is a CSS selector: true when something on the page matches it and is to be seen.
public indirect enum Condition: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Something on the page is found by the locator.
    case shows(Locator)
    /// The page's text, white space folded, contains this, case ignored.
    case says(Template)
    /// The page's title contains this, case ignored.
    case titled(Template)
    /// The path of the page's URL is, or begins with (when it ends in `*`), this.
    case path(String)
    /// The HTTP status lies in this range.
    case status(ClosedRange<Int>)
    /// The latest JSON answer has something that is not null at this JSONPath; with a text, something that says it.
    case json(Template, is: Template?)
    /// A capture or parameter, filled in, equals the other text.
    case equal(Template, Template)
    case not(Condition)
    case all([Condition])
    case any([Condition])

    public init(stringLiteral selector: String) {
        self = .shows(.css(selector))
    }
}
