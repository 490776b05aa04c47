import Selectors

/// A locator that finds nothing, or several things, where one is needed; with what the page has instead.
public struct LocatorError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        case none, several
        /// The selector, path or pattern in it cannot be read.
        case invalid
    }

    /// Something that the page has.
    public struct Candidate: Sendable, Hashable, CustomStringConvertible {
        /// Enough of it to tell it from the others.
        public let words: String
        /// A locator that finds it alone, if there is a short one.
        public let locator: Locator?

        public var description: String { words + (locator.map { ", found by: \($0)" } ?? "") }
    }

    public let kind: Kind
    public let locator: Locator
    public let candidates: [Candidate]
    public let message: String
    /// The page is an empty shell that its scripts would fill.
    public internal(set) var needsJavaScript = false

    init(kind: Kind, locator: Locator, candidates: [Candidate], message: String, needsJavaScript: Bool = false) {
        self.kind = kind
        self.locator = locator
        self.candidates = candidates
        self.message = message
        self.needsJavaScript = needsJavaScript
    }

    public var description: String {
        ([message] + candidates.map { "  - \($0)" }).joined(separator: "\n")
    }
}
