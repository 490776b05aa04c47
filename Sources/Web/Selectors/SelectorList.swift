/// A CSS selector list as a syntax tree (CSS Selectors Level 4, section 4).
public struct SelectorList: Sendable, Hashable {
    public var selectors: [ComplexSelector]

    /// Parses a selector list.
    ///
    /// - Throws: ``SelectorError`` with the column.
    public init(parsing text: String) throws(SelectorError) {
        var parser = SelectorParser(text)
        self = try parser.document()
    }

    package init(selectors: [ComplexSelector]) {
        self.selectors = selectors
    }
}

/// Compound selectors with combinators between them (section 15).
public struct ComplexSelector: Sendable, Hashable {
    public enum Combinator: Sendable, Hashable {
        case descendant, child, nextSibling, subsequentSibling
    }

    public struct Part: Sendable, Hashable {
        /// The relation of this compound to the one before it. The first one's combinator matters only inside `:has()`.
        public var combinator: Combinator
        public var compound: CompoundSelector
    }

    /// From left to right; the last one is the subject.
    public var parts: [Part]
}

/// Simple selectors that one element must all match.
public struct CompoundSelector: Sendable, Hashable {
    /// In lower case; nil matches any element.
    public var type: String?
    public var simple: [SimpleSelector]
}

public indirect enum SimpleSelector: Sendable, Hashable {
    case id(String)
    case `class`(String)
    case attribute(AttributeSelector)
    case `is`(SelectorList)
    case not(SelectorList)
    case has([ComplexSelector])
    case nth(NthSelector)
    case state(State)
    case lang([String])

    /// Pseudo-classes without an argument.
    public enum State: String, Sendable, Hashable, CaseIterable {
        case root, empty, scope, checked, disabled, enabled, required, optional, link
        case readOnly = "read-only"
        case readWrite = "read-write"
        case anyLink = "any-link"
        case onlyChild = "only-child"
        case onlyOfType = "only-of-type"
    }
}

/// `[name operator "value" i]` (section 6).
public struct AttributeSelector: Sendable, Hashable {
    public enum Operator: Sendable, Hashable {
        case exists, equals, includes, dash, prefix, suffix, substring
    }

    /// In lower case.
    public var name: String
    public var op: Operator
    public var value: String
    /// False for `i`, true for `s`, nil for the document language's own rule.
    public var isCaseSensitive: Bool?
}

/// The `:nth-…()` family (section 14.3): elements at positions a·n + b.
public struct NthSelector: Sendable, Hashable {
    public var a: Int
    public var b: Int
    public var fromEnd: Bool
    public var ofType: Bool
    /// Counts only siblings that match this list.
    public var of: SelectorList?
}

/// A selector that cannot be parsed: where, what was seen, and what to do.
public struct SelectorError: Error, Sendable, Hashable, CustomStringConvertible {
    public let selector: String
    /// In characters, from 1.
    public let column: Int
    public let message: String

    package init(selector: String, column: Int, message: String) {
        self.selector = selector
        self.column = column
        self.message = message
    }

    public var description: String { "column \(column): \(message)" }
}
