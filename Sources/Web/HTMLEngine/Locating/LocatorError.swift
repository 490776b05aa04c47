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
    /// The finding, e.g. “nothing is found by: link "Next"”, with the advice that fits, but without the page and the
    /// candidates.
    public let finding: String
    /// The finding, the page that was searched, and an introduction to the candidates.
    public let message: String
    /// True if the page is an empty shell that its scripts would fill.
    public internal(set) var needsJavaScript = false

    /// A selector, path or pattern that cannot be used.
    init(invalid locator: Locator, _ message: String) {
        kind = .invalid
        self.locator = locator
        candidates = []
        finding = message
        self.message = message
    }

    /// - Parameters:
    ///   - finding: what was found.
    ///   - place: the page, to follow the finding.
    ///   - advice: what to do.
    ///   - introduction: the words before the candidates.
    init(
        kind: Kind, locator: Locator, candidates: [Candidate], finding: String, place: String, advice: String?,
        introduction: String = "", needsJavaScript: Bool = false
    ) {
        self.kind = kind
        self.locator = locator
        self.candidates = candidates
        let advice = advice.map { "; \($0)" } ?? ""
        self.finding = finding + advice
        message = finding + place + advice + introduction
        self.needsJavaScript = needsJavaScript
    }

    public var description: String {
        ([message] + candidates.map { "  - \($0)" }).joined(separator: "\n")
    }
}
