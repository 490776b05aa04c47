import CLibXML2

extension Element {
    /// Stands on a line, or in a cell, of its own.
    var isBlock: Bool { node.reading == .block }

    /// A person would not see it, whatever its ancestors are.
    var isHiddenItself: Bool { node.reading == .unseen }

    /// A person would not see it.
    public var isHidden: Bool {
        var next: xmlNodePtr? = node
        while let current = next {
            if current.reading == .unseen { return true }
            next = current.parentElement
        }
        return false
    }

    /// The text as a person reads it: hidden parts out, white space folded, a space between blocks and cells.
    public var text: String {
        var result: [UInt8] = []
        var work: [xmlNodePtr?] = [node.pointee.children]
        var open: [Bool] = [false]
        while let top = work.last {
            guard let current = top else {
                work.removeLast()
                if open.removeLast() { result.append(0x20) }
                continue
            }
            work[work.count - 1] = current.pointee.next
            if current.pointee.type == XML_TEXT_NODE, let content = current.pointee.content {
                result.append(contentsOf: UnsafeBufferPointer(start: content, count: Int(xmlStrlen(content))))
            } else if current.pointee.type == XML_ELEMENT_NODE {
                let reading = current.reading
                guard reading != .unseen else { continue }
                if reading == .block { result.append(0x20) }
                work.append(current.pointee.children)
                open.append(reading == .block)
            }
        }
        return result.withUnsafeBufferPointer { String(foldingSpaceOf: $0) }
    }
}
