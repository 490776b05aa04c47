import CLibXML2

@testable import Markup

/// A tree as lines, in the format of html5lib's tests.
enum TreeLines {
    static func of(_ document: Document) -> [String] {
        guard let root = document.root else { return [] }
        var lines: [String] = []
        var work: [(xmlNodePtr, Int)] = [(root.node, 0)]
        while let (node, depth) = work.popLast() {
            guard node.isElement else {
                lines.append("\(depth) \"\(node.pointee.content.map { String(cString: $0) } ?? "")\"")
                continue
            }
            let element = Element(node, in: document)
            lines.append("\(depth) <\(element.name)>")
            lines += element.attributes.map { "\(depth + 1) \($0.name)=\"\($0.value)\"" }.sorted()
            var child = node.pointee.last
            while let current = child {
                work.append((current, depth + 1))
                child = current.pointee.prev
            }
        }
        return lines
    }
}
