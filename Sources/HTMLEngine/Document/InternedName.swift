import CLibXML2
import TextMatching

/// A name of a document: two names are the same where their addresses are.
typealias InternedName = UnsafePointer<xmlChar>

extension Document {
    /// Nil when it is certain that no element and no attribute of the page has the name.
    func interned(_ name: String) -> InternedName? {
        name.withBytes { bytes in
            if let known = KnownNames.shared.find(bytes) { return known.name }
            return bytes.baseAddress.flatMap { xmlDictExists(pointer.pointee.dict, $0, Int32(bytes.count)) }
        }
    }
}

extension xmlNodePtr {
    var isElement: Bool { pointee.type == XML_ELEMENT_NODE }

    /// The value of an attribute, ended by a NUL; nil when the element has it not.
    func value(of name: InternedName?) -> UnsafePointer<xmlChar>? {
        guard name != nil else { return nil }
        var attribute = pointee.properties
        while let current = attribute {
            if current.pointee.name == name { return current.value }
            attribute = current.pointee.next
        }
        return nil
    }

    /// The value of an attribute by its name, where it is asked for of one element alone.
    func value(named name: String) -> UnsafePointer<xmlChar>? {
        guard let first = pointee.properties else { return nil }
        return name.withBytes { name in
            var attribute: xmlAttrPtr? = first
            while let current = attribute {
                if current.pointee.name.isSpelled(name) { return current.value }
                attribute = current.pointee.next
            }
            return nil
        }
    }

    /// The form that the parser gave a control to; kept where a schema's types would be.
    var parsedFormOwner: xmlNodePtr? {
        get { pointee.psvi?.assumingMemoryBound(to: xmlNode.self) }
        nonmutating set { pointee.psvi = UnsafeMutableRawPointer(newValue) }
    }

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

extension InternedName {
    fileprivate func isSpelled(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        while place < name.count {
            if self[place] != name[place] || self[place] == 0 { return false }
            place += 1
        }
        return self[place] == 0
    }
}

extension xmlAttrPtr {
    nonisolated(unsafe) private static let nothing: UnsafePointer<xmlChar> = {
        let empty = UnsafeMutablePointer<xmlChar>.allocate(capacity: 1)
        empty.initialize(to: 0)
        return UnsafePointer(empty)
    }()

    /// Ended by a NUL.
    var value: UnsafePointer<xmlChar> {
        guard let text = pointee.children, let content = text.pointee.content else { return Self.nothing }
        return UnsafePointer(content)
    }
}

/// The elements below a node, in document order, without recursion.
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
