import Encodings

/// XML as JSON would have it, so that the paths of a script find their way in the answer of an interface that speaks XML.
///
/// An element with a text alone is that text. Any other one is an object: its attributes as `@name`, its children by their names, in a
/// list where a name comes several times, and its text as `#text`.
package enum XMLAnswer {
    private static let limits = XMLLimits(depth: 64, text: 1 << 20, children: 100_000)

    /// - Parameter contentType: the answer's `Content-Type`; a page is not read as XML.
    /// - Returns: nil for another text than well-formed XML, and for one with a document type.
    package static func json(_ body: [UInt8], contentType: String?) -> JSONValue? {
        guard contentType?.lowercased().contains("html") != true,
            body.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }) == UInt8(ascii: "<")
        else { return nil }
        var root: MarkupElement?
        do {
            try XMLRecords.read(body, limits: limits) { element, depth in
                if depth == 0 { root = element }
            } finished: { _ in
                false
            }
        } catch {
            return nil
        }
        return root.map { .object([$0.name: value(of: $0)]) }
    }

    private static func value(of element: MarkupElement) -> JSONValue {
        let text = element.foldedText
        guard !element.attributes.isEmpty || !element.children.isEmpty else { return .string(text) }
        var members: [String: JSONValue] = [:]
        for (name, attribute) in element.attributes { members["@" + name] = .string(attribute) }
        for (name, children) in Dictionary(grouping: element.children, by: \.name) {
            members[name] = children.count == 1 ? value(of: children[0]) : .array(children.map(value))
        }
        if !text.isEmpty { members["#text"] = .string(text) }
        return .object(members)
    }
}
