import CLibXML2
import TextMatching

extension Element {
    /// The text with pictures by their alternatives, and without the controls that a label wraps: a list's options are
    /// no part of its name.
    package func nameFromContent(without control: Element? = nil) -> String {
        var result = SpaceFolding(room: 64)
        var hidden: xmlNodePtr?
        for node in NodesBelow(node) {
            if let skipped = hidden {
                if node.isInside(skipped) { continue }
                hidden = nil
                result.addSpace()
            }
            if node.pointee.type == XML_TEXT_NODE {
                if let content = node.pointee.content { result.add(UnsafePointer(content).spelling) }
                continue
            }
            guard node.isElement else { continue }
            let display = node.display
            switch node.tag {
            // A drawing's own title is never shown, and is its name all the same.
            case _ where display == .hidden || node == control?.node: hidden = node
            case .select, .textarea, .input: hidden = node
            case _ where node.value(named: "aria-label") != nil:
                add(node.value(named: "aria-label"), to: &result)
                hidden = node
            case .img: add(node.value(named: "alt"), to: &result)
            default: if display == .block { result.addSpace() }
            }
        }
        return String(result)
    }

    private func add(_ name: UnsafePointer<xmlChar>?, to result: inout SpaceFolding) {
        result.addSpace()
        if let name { result.add(name.spelling) }
        result.addSpace()
    }
}

extension xmlNodePtr {
    fileprivate func isInside(_ other: xmlNodePtr) -> Bool {
        var node = pointee.parent
        while let current = node {
            if current == other { return true }
            node = current.pointee.parent
        }
        return false
    }
}
