import Markup

// Lists whose entries have no element of their own: a heading for each month and its links after it, lines that end in a
// break, a table with a second row for the links.

/// The elements that make one entry of such a list.
struct FlatEntry {
    private let members: [Element]

    /// - Parameter head: the element with the entry's text, or any element of a line that ends in a break.
    /// - Returns: nil where the elements after it are not clearly its own.
    init?(of head: Element) {
        guard let parent = head.parent, parent.tag != .tr else { return nil }
        let siblings = parent.children
        guard let place = siblings.firstIndex(of: head) else { return nil }
        let end: Int
        var start = place
        if siblings.contains(where: { $0.tag == .br }), !head.isBlock {
            start = siblings[..<place].lastIndex { $0.tag == .br }.map { $0 + 1 } ?? 0
            end = siblings[place...].firstIndex { $0.tag == .br } ?? siblings.count
        } else {
            let others = siblings.indices.filter { $0 != place && siblings[$0].begins(like: head) }
            guard !others.isEmpty || head.isOfOneOfManyBodies else { return nil }
            let next = others.first { $0 > place } ?? siblings.count
            end = siblings[place..<next].dropFirst().firstIndex { $0.mayBegin(like: head) } ?? next
        }
        members = Array(siblings[start..<end])
        guard members.contains(where: { $0.isSomethingToUse || $0.holdsSomethingToUse }) else { return nil }
    }

    func holds(_ element: Element) -> Bool {
        members.contains(element) || element.ancestors.contains { members.contains($0) }
    }
}

extension Element {
    /// The element that begins the entry with this element's text; nil where the entry is a block of its own.
    var headOfEntry: Element? {
        var here = self
        while !here.holdsSomethingToUse, let parent = here.parent {
            if FlatEntry(of: here) != nil { return here }
            here = parent
        }
        return nil
    }

    /// Returns the lines of a block that end in a break, each with its text and its first control.
    var lines: [(text: String, control: Element)] {
        guard children.contains(where: { $0.tag == .br }) else { return [] }
        var lines: [(text: String, control: Element)] = []
        var words: [String] = []
        var control: Element?
        func end() {
            if let control { lines.append((words.joined(separator: " "), control)) }
            words = []
            control = nil
        }
        for node in nodes {
            switch node {
            case .text(let text): words.append(text)
            case .element(let element):
                if element.tag == .br || element.isBlock { end() }
                if element.tag == .br { continue }
                words.append(element.text)
                if control == nil, element.isSomethingToUse { control = element }
            }
        }
        end()
        return lines
    }

    /// True for an element that begins another entry of the list in which the head begins one.
    fileprivate func begins(like head: Element) -> Bool {
        guard tag == head.tag, self[attribute: "class"] == head[attribute: "class"], !isOutOfReach else { return false }
        return tag.isHeading || tag == .dt || text.form == head.text.form
    }

    /// True for an element that may begin another entry although its text has another form, such as “March 2025 (new)”: a
    /// control after it may be that entry's.
    fileprivate func mayBegin(like head: Element) -> Bool {
        tag == head.tag && self[attribute: "class"] == head[attribute: "class"] && !isOutOfReach && !text.isEmpty
            && !isSomethingToUse && !holdsSomethingToUse
    }

    /// True for a row of a table in which each entry has a `tbody`.
    fileprivate var isOfOneOfManyBodies: Bool {
        guard tag == .tr, let body = parent, body.tag == .tbody, let table = body.parent else { return false }
        return table.children.count { $0.tag == .tbody } > 1
    }

    /// The one cell of a row that is an entry by itself, where each cell is one: a calendar of months.
    func cell(where fits: (String) -> Bool) -> Element? {
        guard tag == .tr else { return nil }
        // A cell that is a control and nothing else is a part of an entry: the account's name, or “Details” beside it.
        let cells = children.filter { cell in
            !cell.isHidden && cell.holdsSomethingToUse
                && !cell.descendants.contains { $0.isSomethingToUse && $0.text == cell.text }
        }
        let fitting = cells.filter { fits($0.text) }
        guard fitting.count == 1, let cell = fitting.first else { return nil }
        return cells.contains { $0 != cell && $0.text.form == cell.text.form } ? cell : nil
    }
}
