import CLibXML2

/// An element of a document, which it keeps alive.
public struct Element: Sendable, Hashable {
    public let document: Document
    nonisolated(unsafe) let node: xmlNodePtr

    init(_ node: xmlNodePtr, in document: Document) {
        self.node = node
        self.document = document
    }

    public static func == (left: Element, right: Element) -> Bool { left.node == right.node }

    public func hash(into hasher: inout Hasher) { hasher.combine(node) }

    /// Lower case.
    public var name: String { String(cString: node.pointee.name) }

    /// The attribute's value; the name in lower case.
    public subscript(attribute name: String) -> String? {
        node.value(named: name).map { String(cString: $0) }
    }

    public func has(_ name: String) -> Bool { node.value(named: name) != nil }

    public var attributes: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        var attribute = node.pointee.properties
        while let current = attribute {
            result.append((String(cString: current.pointee.name), String(cString: current.value)))
            attribute = current.pointee.next
        }
        return result
    }

    // MARK: Around it

    public var parent: Element? { node.parentElement.map { Element($0, in: document) } }

    public var ancestors: some Sequence<Element> {
        sequence(state: self) { element in
            guard let parent = element.parent else { return nil as Element? }
            element = parent
            return parent
        }
    }

    public var children: [Element] {
        var result: [Element] = []
        result.reserveCapacity(8)
        var child = node.firstElementChild
        while let current = child {
            result.append(Element(current, in: document))
            child = current.nextElement
        }
        return result
    }

    public var nextSibling: Element? { node.nextElement.map { Element($0, in: document) } }
    public var previousSibling: Element? { node.previousElement.map { Element($0, in: document) } }

    /// All elements inside, in document order.
    public var descendants: some Sequence<Element> {
        let document = document
        return ElementsBelow(node).lazy.map { Element($0, in: document) }
    }

    /// The texts inside as they are written, one after the other.
    public var rawText: String {
        NodesBelow(node).reduce(into: "") { text, node in
            if node.pointee.type == XML_TEXT_NODE, let content = node.pointee.content {
                text += String(cString: content)
            }
        }
    }
}

/// The nodes below one, in document order, without recursion.
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
