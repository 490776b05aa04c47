import CLibXML2

extension Element {
    /// A child of an element.
    public enum Node: Sendable {
        case element(Element)
        case text(String)
    }

    /// Texts and elements inside, in document order; comments are not part of the tree.
    public var nodes: [Node] {
        var result: [Node] = []
        var child = node.pointee.children
        while let current = child {
            if current.pointee.type == XML_ELEMENT_NODE {
                result.append(.element(Element(current, in: document)))
            } else if let content = current.pointee.content {
                result.append(.text(String(cString: content)))
            }
            child = current.pointee.next
        }
        return result
    }
}
