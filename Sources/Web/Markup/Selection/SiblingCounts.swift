import CLibXML2

/// Positions among siblings, for `:nth-…()`. Elements come in document order, so each count continues from the sibling
/// before, and a long table takes one walk.
///
/// A class, because a position may decide which siblings count: `:nth-child(1 of :nth-child(2))`.
final class SiblingCounts {
    private struct Key: Hashable {
        let parent: xmlNodePtr?
        let name: InternedName?
    }

    private var last: [Key: (node: xmlNodePtr, position: Int)] = [:]
    private var totals: [Key: Int] = [:]

    /// Returns the position among the siblings that count, from 1. The element itself counts.
    func position(of node: xmlNodePtr, named name: InternedName?, _ counts: (xmlNodePtr) -> Bool) -> Int {
        let key = Key(parent: node.pointee.parent, name: name)
        let known = last[key]
        var position = 1
        var sibling = node == known?.node ? nil : node.previousElement
        if node == known?.node { position = known?.position ?? 1 }
        while let current = sibling {
            if current == known?.node {
                position += known?.position ?? 0
                break
            }
            if counts(current) { position += 1 }
            sibling = current.previousElement
        }
        last[key] = (node, position)
        return position
    }

    func total(around node: xmlNodePtr, named name: InternedName?, _ counts: (xmlNodePtr) -> Bool) -> Int {
        let key = Key(parent: node.pointee.parent, name: name)
        if let total = totals[key] { return total }
        var total = 0
        var sibling = node.pointee.parent?.firstElementChild
        while let current = sibling {
            if counts(current) { total += 1 }
            sibling = current.nextElement
        }
        totals[key] = total
        return total
    }
}
