import Selectors

/// A locator that finds no element, or several, where one is needed. It lists what the page has instead.
public struct LocatorError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        case none, several
        /// The selector, path or pattern cannot be read.
        case invalid
    }

    /// An element of the page.
    public struct Candidate: Sendable, Hashable, CustomStringConvertible {
        /// A description that distinguishes it from the others.
        public let words: String
        /// A short locator that finds only this element, if there is one.
        public let locator: Locator?

        public var description: String { words + (locator.map { ", found by: \($0)" } ?? "") }
    }

    public let kind: Kind
    public let locator: Locator
    public let candidates: [Candidate]
    public let message: String
    /// Whether the page is an empty shell that its scripts would fill.
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
