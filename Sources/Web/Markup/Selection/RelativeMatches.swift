import CLibXML2

/// Cached results for one argument of `:has()`: which elements have a match below them, or among their later siblings.
///
/// Without the cache, a page of many elements without a match is walked again from each of them.
struct RelativeMatches {
    private var known: [xmlNodePtr: Bool] = [:]

    subscript(node: xmlNodePtr) -> Bool? {
        get { known[node] }
        set { known[node] = newValue }
    }
}

extension SelectorMatch {
    /// Returns whether an argument of `:has()` matches relative to an element (section 4.5).
    func has(_ relative: CompiledSelector.Relative, _ anchor: xmlNodePtr) -> Bool {
        let parts = relative.parts
        guard parts.count == 1 else { return reaches(parts, from: anchor) }
        switch parts[0].combinator {
        case .child:
            guard let first = anchor.firstElementChild else { return false }
            return matches(parts[0].compound, first)
                || any(from: first, \.nextElement) { matches(parts[0].compound, $0) }
        case .nextSibling: return anchor.nextElement.map { matches(parts[0].compound, $0) } ?? false
        case .descendant: return isFound(parts[0].compound, below: anchor, relative.slot)
        case .subsequentSibling: return isFound(parts[0].compound, after: anchor, relative.slot)
        }
    }

    /// Checks each element that may be the subject.
    private func reaches(_ parts: [CompiledSelector.Part], from anchor: xmlNodePtr) -> Bool {
        func isSubject(_ node: xmlNodePtr) -> Bool {
            outcome(parts, parts.count, node, anchor: anchor) == .matches
        }
        switch parts[0].combinator {
        case .descendant, .child: return ElementsBelow(anchor).contains(where: isSubject)
        case .nextSibling, .subsequentSibling:
            return any(from: anchor, \.nextElement) { isSubject($0) || ElementsBelow($0).contains(where: isSubject) }
        }
    }

    private func isFound(_ compound: CompiledSelector.Compound, below anchor: xmlNodePtr, _ slot: Int) -> Bool {
        if let known = relatives[slot][anchor] { return known }
        var next = anchor.firstElementChild
        while let node = next {
            if relatives[slot][node] == true || matches(compound, node) {
                var holder = node.parentElement
                while let current = holder, relatives[slot][current] != true {
                    relatives[slot][current] = true
                    holder = current.parentElement
                }
                return true
            }
            guard countStep() else { return false }
            if relatives[slot][node] == nil, let child = node.firstElementChild {
                next = child
                continue
            }
            // Nothing below it matches. It is finished, and so is each ancestor whose last child it is.
            var left = node
            relatives[slot][left] = false
            while left.nextElement == nil, let parent = left.parentElement, parent != anchor {
                left = parent
                relatives[slot][left] = false
            }
            next = left.nextElement
        }
        relatives[slot][anchor] = false
        return false
    }

    private func isFound(_ compound: CompiledSelector.Compound, after anchor: xmlNodePtr, _ slot: Int) -> Bool {
        var passed: [xmlNodePtr] = []
        var isFound = false
        var next: xmlNodePtr? = anchor
        while let node = next, countStep() {
            if let known = relatives[slot][node] {
                isFound = known
                break
            }
            passed.append(node)
            next = node.nextElement
            if let next, matches(compound, next) {
                isFound = true
                break
            }
        }
        for node in passed { relatives[slot][node] = isFound }
        return isFound
    }
}
