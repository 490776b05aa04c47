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
            guard !head.isRowOfEntries else { return nil }
            let others = siblings.indices.filter { $0 != place && siblings[$0].beginsAnother(than: head, at: head) }
            guard !others.isEmpty || head.isOfOneOfManyBodies else { return nil }
            let next = others.first { $0 > place } ?? siblings.count
            end =
                siblings[place..<next].dropFirst().firstIndex {
                    $0.mayBegin(like: head) || $0.endsEntry(of: head) || $0.isMade(like: head) && $0.isEntryByItself
                } ?? next
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

    /// A line of a block whose lines end in a break.
    struct Line {
        var text = ""
        /// The first control of the line.
        var control: Element?
        /// The words beside its controls.
        var words = ""
        fileprivate var elements: [Element] = []

        /// True for a line with a control and with words of its own.
        fileprivate var isEntryByItself: Bool { control != nil && Element.nameSomething(words) }
    }

    /// Lines, and the one of them that has a text.
    struct LinesOfBlock {
        let lines: [Line]
        let place: Int
        /// True for a block of two lines, beside others that are made like it, whose one line is the text and nothing else: what the
        /// other line has is its own, as in “April 2025” above “Statement PDF”.
        var isPair = false

        /// True for a line of a card: no other line is like it, or an entry by itself.
        var isAllOfItsBlock: Bool {
            let shape = EntryShape(lines[place].text)
            return lines.indices.allSatisfy {
                $0 == place || !EntryShape(lines[$0].text).isLike(shape) && (isPair || !lines[$0].isEntryByItself)
            }
        }
    }

    /// Returns whether two lines are all of this block, and one of them is a text and nothing else.
    func areAPair(_ lines: [Line], at place: Int, saying text: String) -> Bool {
        lines.count == 2 && lines[place].control == nil && lines[place].text.loweringCase == text.loweringCase
            && isOneOfMany
    }

    /// Returns the lines of a block that end in a break; empty for a block without breaks.
    var lines: [Line] {
        guard children.contains(where: { $0.tag == .br }) else { return [] }
        var lines: [Line] = []
        var line = Line()
        func end() {
            line.text = line.text.foldingSpace
            line.words = line.words.foldingSpace
            if !line.text.isEmpty || line.control != nil { lines.append(line) }
            line = Line()
        }
        for node in nodes {
            switch node {
            case .text(let text):
                line.text += " " + text
                line.words += " " + text
            case .element(let element):
                if element.tag == .br || element.isBlock { end() }
                if element.tag == .br || element.isHidden { continue }
                line.elements.append(element)
                line.text += " " + element.text
                let control = element.isSomethingToUse ? element : element.descendants.first(where: \.isSomethingToUse)
                if line.control == nil { line.control = control }
                if control == nil { line.words += " " + element.text }
                if element.isBlock { end() }
            }
        }
        end()
        return lines
    }

    /// Returns the lines of this block with the one that an element inside it is a part of; nil for a block without breaks.
    func lines(with element: Element) -> LinesOfBlock? {
        guard element != self else { return nil }
        let lines = lines
        let around = Set(element.ancestors).union([element])
        guard let place = lines.firstIndex(where: { !around.isDisjoint(with: $0.elements) }) else { return nil }
        return LinesOfBlock(lines: lines, place: place, isPair: areAPair(lines, at: place, saying: element.text))
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

    /// True for a row of a calendar: each of its cells begins an entry, and what is below them is each one's.
    fileprivate var isRowOfEntries: Bool {
        guard tag == .tr else { return false }
        let texts = children.filter { !$0.isHidden }.map(\.text).filter { !$0.isEmpty }
        guard let first = texts.first, texts.count > 1 else { return false }
        return texts.dropFirst().allSatisfy { EntryShape($0).isLike(EntryShape(first)) }
    }
}
