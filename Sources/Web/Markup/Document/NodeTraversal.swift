import CLibXML2

extension xmlNodePtr {
    var isElement: Bool { pointee.type == XML_ELEMENT_NODE }

    var parentElement: xmlNodePtr? {
        guard let parent = pointee.parent, parent.isElement else { return nil }
        return parent
    }

    var nextElement: xmlNodePtr? {
        var node = pointee.next
        while let current = node, !current.isElement { node = current.pointee.next }
        return node
    }

    var previousElement: xmlNodePtr? {
        var node = pointee.prev
        while let current = node, !current.isElement { node = current.pointee.prev }
        return node
    }

    var firstElementChild: xmlNodePtr? {
        guard let child = pointee.children else { return nil }
        return child.isElement ? child : child.nextElement
    }
}

/// The elements below a node, in document order. The walk does not recurse.
struct ElementsBelow: Sequence, IteratorProtocol {
    private let top: xmlNodePtr
    private var current: xmlNodePtr?

    init(_ top: xmlNodePtr) {
        self.top = top
        current = top.firstElementChild
    }

    mutating func next() -> xmlNodePtr? {
        guard let node = current else { return nil }
        current = following(node)
        return node
    }

    private func following(_ node: xmlNodePtr) -> xmlNodePtr? {
        if let child = node.firstElementChild { return child }
        var here = node
        while here != top {
            if let next = here.nextElement { return next }
            guard let parent = here.pointee.parent else { return nil }
            here = parent
        }
        return nil
    }
}

/// The nodes below a node, in document order. The walk does not recurse.
struct NodesBelow: Sequence, IteratorProtocol {
    private let top: xmlNodePtr
    private var current: xmlNodePtr?

    init(_ top: xmlNodePtr) {
        self.top = top
        current = top.pointee.children
    }

    mutating func next() -> xmlNodePtr? {
        guard let node = current else { return nil }
        current = following(node)
        return node
    }

    private func following(_ node: xmlNodePtr) -> xmlNodePtr? {
        if node.isElement, let child = node.pointee.children { return child }
        var here = node
        while here != top {
            if let next = here.pointee.next { return next }
            guard let parent = here.pointee.parent else { return nil }
            here = parent
        }
        return nil
    }
}
