import CLibXML2

/// The elements of a document by their names, so that a selector need not walk all of them.
///
/// It holds bare nodes: elements would keep the document alive that keeps it.
final class ElementNames: @unchecked Sendable {
    let elements: [InternedName: [xmlNodePtr]]

    init(_ document: Document) {
        var elements: [InternedName: [xmlNodePtr]] = [:]
        if let root = document.root {
            if let name = root.node.pointee.name { elements[name] = [root.node] }
            for node in ElementsBelow(root.node) {
                if let name = node.pointee.name { elements[name, default: []].append(node) }
            }
        }
        self.elements = elements
    }
}
