import CLibXML2
import Encodings

extension Element {
    /// Returns the name that the content gives: the text, with images replaced by their alternatives. Controls inside a
    /// label, and a list's options, are not part of its name (Accessible Name and Description Computation 1.2, section
    /// 4.3.2, step 2F).
    ///
    /// - Parameters:
    ///   - control: an element to leave out.
    ///   - countingHidden: includes what attributes hide.
    package func nameFromContent(without control: Element? = nil, countingHidden: Bool = false) -> String {
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
            let isHiddenByStyle = !countingHidden && node.notes.pointee.isHiddenByStyle
            let display = isHiddenByStyle ? .hidden : countingHidden ? Display(of: node.tag) : node.display
            switch node.tag {
            // Keep an SVG's title, which is its name although it is never displayed.
            case _ where display == .hidden || node == control?.node: hidden = node
            case .select, .textarea, .input: hidden = node
            case _ where node.value(named: "aria-label") != nil:
                add(node.value(named: "aria-label"), to: &result)
                hidden = node
            case .img: add(node.value(named: "alt") ?? node.value(named: "title"), to: &result)
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
