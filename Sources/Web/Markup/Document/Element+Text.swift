import CLibXML2
import Encodings
import Foundation

extension Element {
    /// The text as a person reads it: without hidden parts, with white space folded and a space between blocks and
    /// cells.
    public var text: String {
        var text = SpaceFolding()
        read(into: &text)
        return String(text)
    }

    func read(into text: inout SpaceFolding) {
        var next = node.pointee.children
        while let current = next {
            if current.isFolded {
                text.addSpace()
            } else if current.pointee.type == XML_TEXT_NODE, let content = current.pointee.content {
                text.add(UnsafePointer(content).spelling)
            } else if current.pointee.type == XML_ELEMENT_NODE, current.display != .hidden {
                if current.display == .block { text.addSpace() }
                if let child = current.pointee.children {
                    next = child
                    continue
                }
            }
            var left = current
            while left != node, left.pointee.next == nil, let around = left.pointee.parent {
                left = around
                if left.display == .block { text.addSpace() }
            }
            next = left == node ? nil : left.pointee.next
        }
    }
}

extension FoldedText {
    /// Folds the whole page's text, as a person reads it.
    package init(of document: Document) {
        // Most pages hold more text than this.
        var folding = SpaceFolding(room: 2048, lowersCase: true)
        document.root?.read(into: &folding)
        self.init(folding)
    }
}

extension UnsafePointer<xmlChar> {
    /// The bytes before the terminating NUL.
    var spelling: Bytes {
        Bytes(start: self, count: strlen(UnsafeRawPointer(self).assumingMemoryBound(to: CChar.self)))
    }
}
