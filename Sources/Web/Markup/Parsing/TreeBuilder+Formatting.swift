import CLibXML2

/// Formatting elements that are reopened or misnested (HTML Standard, sections 13.2.4.3 and 13.2.6.4.7).
extension TreeBuilder {
    /// Reconstructs the active formatting elements.
    mutating func reconstructFormatting() {
        guard formatting.count > 0 else { return }
        var index = formatting.count
        while index > 0, let element = formatting[index - 1].element, open.index(of: element.node) == nil {
            index -= 1
        }
        while index < formatting.count, budget.failure == nil, let element = formatting[index].element {
            guard let copy = insertCopy(of: element) else { return }
            formatting.replace(at: index, with: copy)
            index += 1
        }
    }

    /// The adoption agency algorithm.
    mutating func adopt() {
        let name = tokenizer.tag.name
        if let current = open.current, current.namespace == .html, current.name == name,
            formatting.index(of: current.node) == nil
        {
            return open.pop()
        }
        for _ in 0..<8 {
            guard let listed = formatting.lastIndex(of: name), let element = formatting[listed].element else {
                return endOther()
            }
            guard let place = open.index(of: element.node) else { return formatting.remove(at: listed) }
            guard open.isInScope(element.node) else { return }
            budget.spend(open.count)
            guard let block = (place + 1..<open.count).first(where: { open[$0].isSpecial }) else {
                open.removeAll(from: place)
                return formatting.remove(at: listed)
            }
            flushText()
            adopt(element, at: place, block: block)
            if budget.failure != nil { return }
        }
    }

    private mutating func adopt(_ element: OpenElement, at place: Int, block blockIndex: Int) {
        let ancestor = open[place - 1]
        let block = open[blockIndex]
        guard var bookmark = formatting.index(of: element.node) else { return }
        var last = block
        var index = blockIndex
        var count = 0
        while index - 1 > place {
            index -= 1
            count += 1
            let node = open[index]
            var listed = formatting.index(of: node.node)
            if count > 3, let place = listed {
                formatting.remove(at: place)
                if place < bookmark { bookmark -= 1 }
                listed = nil
            }
            guard let listed else {
                open.remove(at: index)
                continue
            }
            guard let copy = copy(node) else { return }
            formatting.replace(at: listed, with: copy)
            open.replace(at: index, with: copy)
            if last.node == block.node { bookmark = listed + 1 }
            move(last.node, to: Place(parent: copy.node, next: nil))
            last = copy
        }
        move(last.node, to: self.place(in: ancestor))
        guard let copy = copy(element) else { return }
        let contents = self.contents(of: block.node)
        moveChildren(of: contents, to: copy.node)
        Self.attach(copy.node, at: Place(parent: contents, next: nil))
        if let listed = formatting.index(of: element.node) {
            formatting.remove(at: listed)
            if listed < bookmark { bookmark -= 1 }
        }
        formatting.insert(copy, at: bookmark)
        if let place = open.index(of: element.node) { open.remove(at: place) }
        if let place = open.index(of: block.node) { open.insert(copy, at: place + 1) }
    }
}
