import Selectors

/// A test that a page passes or fails.
///
/// A string literal is a CSS selector. It holds when something visible on the page matches it.
public indirect enum Condition: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The locator finds something on the page.
    case shows(Locator)
    /// The page's text contains this. Case and runs of white space do not matter.
    case says(Template)
    /// The page's title contains this. Case does not matter.
    case titled(Template)
    /// The path of the page's URL equals this, or begins with it if this ends in `*`.
    case path(String)
    /// The HTTP status is in this range.
    case status(ClosedRange<Int>)
    /// The latest JSON answer has a value other than null at this JSONPath, and that value equals the text if one is
    /// given.
    case json(Template, is: Template?)
    /// The two texts are equal after captures and parameters are filled in.
    case equal(Template, Template)
    case not(Condition)
    case all([Condition])
    case any([Condition])

    public init(stringLiteral selector: String) {
        self = .shows(.css(selector))
    }
}
