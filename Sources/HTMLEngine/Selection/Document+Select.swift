import CLibXML2
import Selectors

extension Document {
    /// The elements that the selector means, in document order.
    public func select(_ list: SelectorList, in scope: Element? = nil) -> [Element] {
        guard let top = scope ?? root else { return [] }
        let match = SelectorMatch(list, in: self, scope: scope)
        var found: [Element] = []
        if scope == nil, let name = match.subjectName {
            for node in names.elements[name] ?? [] where match.matches(node) { found.append(Element(node, in: self)) }
            return found
        }
        if scope == nil, match.matches(top.node) { found.append(top) }
        for node in ElementsBelow(top.node) where match.matches(node) { found.append(Element(node, in: self)) }
        return found
    }

    /// - Throws: `SelectorError`.
    public func select(css selector: String, in scope: Element? = nil) throws(SelectorError) -> [Element] {
        select(try SelectorList(parsing: selector), in: scope)
    }
}

extension String {
    /// Split at ASCII white space.
    var words: [Substring] { split { " \t\n\r\u{0C}".contains($0) } }

    var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
