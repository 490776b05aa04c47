import CLibXML2
import Encodings
import Selectors

extension Document {
    /// Returns the elements that match a selector list, in document order.
    ///
    /// - Throws: ``SelectionTooLong``.
    public func select(_ list: SelectorList, in scope: Element? = nil) throws(SelectionTooLong) -> [Element] {
        guard let top = scope ?? root else { return [] }
        let match = SelectorMatch(list, in: self, scope: scope)
        var found: [Element] = []
        if scope == nil, let name = match.subjectName {
            for node in names.elements[name] ?? [] where match.matches(node) { found.append(Element(node, in: self)) }
        } else {
            if scope == nil, match.matches(top.node) { found.append(top) }
            for node in ElementsBelow(top.node) where match.matches(node) { found.append(Element(node, in: self)) }
        }
        guard !match.isExhausted else { throw SelectionTooLong() }
        return found
    }

    /// Returns the elements that match a selector, in document order.
    ///
    /// - Throws: `SelectorError` for an invalid selector, or one that takes too long on this page.
    public func select(css selector: String, in scope: Element? = nil) throws(SelectorError) -> [Element] {
        let list = try SelectorList(parsing: selector)
        do {
            return try select(list, in: scope)
        } catch {
            throw SelectorError(selector: selector, column: 1, message: "\(error)")
        }
    }
}

/// A selection that was abandoned: the page is built so that the selector would visit its elements again and again.
public struct SelectionTooLong: Error, Sendable, Hashable, CustomStringConvertible {
    public var description: String { "it takes too long on this page; name the element more directly" }
}

extension String {
    /// The parts between ASCII white space.
    package var words: [Substring] { split { " \t\n\r\u{0C}".contains($0) } }

    var asciiLowercased: String {
        String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }
}
