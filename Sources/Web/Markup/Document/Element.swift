import CLibXML2

/// An element of a document. It keeps the document alive.
public struct Element: Sendable, Hashable {
    public let document: Document
    nonisolated(unsafe) let node: xmlNodePtr

    init(_ node: xmlNodePtr, in document: Document) {
        self.node = node
        self.document = document
    }

    public static func == (left: Element, right: Element) -> Bool { left.node == right.node }

    public func hash(into hasher: inout Hasher) { hasher.combine(node) }

    /// In lower case.
    public var name: String { String(cString: node.pointee.name) }

    /// The value of an attribute, whose name is given in lower case.
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

    /// The elements around this one, the nearest first.
    public var ancestors: Ancestors { Ancestors(element: self) }

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

    /// All elements inside, in document order.
    public var descendants: Descendants { Descendants(document: document, nodes: ElementsBelow(node)) }

    /// Returns the elements inside that have a `role`, or a tag that fits, in document order.
    package func descendants(withRoleOrTag fits: (Tag) -> Bool) -> [Element] {
        var found: [Element] = []
        found.reserveCapacity(16)
        for node in ElementsBelow(node) where node.hasRole || fits(node.tag) {
            found.append(Element(node, in: document))
        }
        return found
    }

    /// The text nodes inside, concatenated as they are written.
    public var rawText: String {
        NodesBelow(node).reduce(into: "") { text, node in
            if node.pointee.type == XML_TEXT_NODE, let content = node.pointee.content {
                text += String(cString: content)
            }
        }
    }
}

// Concrete types: other modules could only use `some Sequence` through its witness table, which is slow.
extension Element {
    public struct Ancestors: Sequence, IteratorProtocol {
        fileprivate var element: Element

        public mutating func next() -> Element? {
            guard let parent = element.parent else { return nil }
            element = parent
            return parent
        }
    }

    public struct Descendants: Sequence, IteratorProtocol {
        fileprivate let document: Document
        fileprivate var nodes: ElementsBelow

        public mutating func next() -> Element? { nodes.next().map { Element($0, in: document) } }
    }
}

extension Element {
    /// A child node: an element or a text.
    public enum Node: Sendable {
        case element(Element)
        case text(String)

        /// Nil for a text.
        package var element: Element? { if case .element(let element) = self { element } else { nil } }
    }

    /// The child nodes in document order. Comments are not part of the tree.
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

    /// The element before it with the same parent.
    package var previous: Element? { node.previousElement.map { Element($0, in: document) } }

    /// Returns the nodes before it with the same parent, the nearest first.
    package func nodes(before most: Int) -> [Node] { nodes(most) { $0.pointee.prev } }

    /// Returns the nodes after it with the same parent, the nearest first.
    package func nodes(after most: Int) -> [Node] { nodes(most) { $0.pointee.next } }

    private func nodes(_ most: Int, _ step: (xmlNodePtr) -> xmlNodePtr?) -> [Node] {
        var result: [Node] = []
        var next = step(node)
        while let current = next, result.count < most {
            if current.isElement {
                result.append(.element(Element(current, in: document)))
            } else if let content = current.pointee.content {
                result.append(.text(String(cString: content)))
            }
            next = step(current)
        }
        return result
    }
}
