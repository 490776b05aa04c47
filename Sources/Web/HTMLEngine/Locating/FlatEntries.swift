import Markup

// Lists whose entries have no element of their own: a heading for each month and its links after it, lines that end in a
// break, a table with a second row for the links.

/// The elements that make one entry of such a list.
struct FlatEntry {
    private let members: Set<Element>
    /// True where the head may own what there is to use below it, but another head may, too.
    let isUnclear: Bool

    /// - Parameter head: the element with the entry's text, or any element of a line that ends in a break.
    /// - Returns: nil where the elements after it are not clearly its own.
    init?(of head: Element) {
        guard let parent = head.parent, parent.tag != .tr else { return nil }
        let siblings = parent.children
        guard let place = siblings.firstIndex(of: head) else { return nil }
        let end: Int
        var start = place
        var below = siblings[place..<place]
        var isClear = true
        if let line = parent.lines(with: head)?.lineBelow {
            members = Set(line.elements)
            isUnclear = false
            return
        }
        if siblings.contains(where: { $0.tag == .br }), !head.isBlock {
            // A block ends a line as a break does.
            start = siblings[..<place].lastIndex { $0.tag == .br || $0.isBlock }.map { $0 + 1 } ?? 0
            end = siblings[place...].firstIndex { $0.tag == .br || $0.isBlock } ?? siblings.count
        } else {
            guard !head.isRowOfEntries else { return nil }
            let texts = SiblingTexts(siblings)
            let others = siblings.indices.filter {
                guard $0 != place else { return false }
                let other = siblings[$0]
                return other.beginsAnother(than: head, at: head) && !texts.hasControlOfEach(other)
                    || other.beginsWithAnotherWord(than: head, among: texts)
            }
            guard !others.isEmpty || head.isOfOneOfManyBodies else { return nil }
            // Labels can be written like months: “Account 1234” like “Statement 2025”, and “Invoice” like “April”.
            let months = head.heads(among: siblings)
            let next = others.first { $0 > place } ?? siblings.count
            below = siblings[place..<((months.isEmpty ? others : months).first { $0 > place } ?? siblings.count)]
            if Self.mayFollowControls((others + [place]).sorted(), of: siblings)
                || Self.mayFollowControls(months, of: siblings)
            {
                members = []
                isUnclear = below.contains(where: \.isOrHoldsSomethingToUse)
                return
            }
            let isLast = next == siblings.count && !head.isOfOneOfManyBodies
            let known = Self.labels(belowHeads: others, but: place, of: siblings)
            let labels = Self.labels(below: place, and: others, of: siblings)
            end =
                siblings.indices[place..<next].dropFirst().firstIndex {
                    let element = siblings[$0]
                    if element.endsEntry(of: head) { return true }
                    if $0 - place <= labels { return false }
                    if isLast || element.isBeside(head), element.isEntryByItself,
                        !known.contains(element.label(without: head))
                    {
                        return true
                    }
                    return element.mayBegin(like: head) || element.isMade(like: head) && element.isEntryByItself
                } ?? next
            isClear =
                Self.isMadeLikeOthers(siblings[place..<end], besides: others, of: siblings)
                && !Self.isMissing(siblings[place..<end].dropFirst(1 + labels))
        }
        let own = siblings[start..<end]
        let month = String(head.text.withoutRemark)
        isClear =
            isClear && own.allSatisfy { !$0.namesAnotherMonth(than: month) } && !head.isFollowedByAnother(own)
        members = isClear ? Set(own) : []
        isUnclear =
            !members.contains(where: \.isOrHoldsSomethingToUse) && below.contains(where: \.isOrHoldsSomethingToUse)
    }

    /// Returns whether what there is to use is drawn as it is below a month that is drawn as this one; true where no such month
    /// has a control without words. A link of another class below the last month is often all of the list's.
    private static func isMadeLikeOthers(
        _ own: ArraySlice<Element>, besides others: [Int], of siblings: [Element]
    ) -> Bool {
        func bareControl(below head: ArraySlice<Element>) -> Element? {
            let control = head.dropFirst().first(where: \.isOrHoldsSomethingToUse)
            return control.flatMap { $0.isSomethingToUse || $0.isControlAlone ? $0 : nil }
        }
        guard let head = own.first, let control = bareControl(below: own) else { return true }
        let alike = others.prefix(mostHeads).filter {
            siblings[$0].tag == head.tag && siblings[$0][attribute: "class"] == head[attribute: "class"]
        }
        let ends = others + [own.startIndex]
        let theirs = alike.compactMap { place in
            let end = ends.filter { $0 > place }.min() ?? siblings.count
            return bareControl(below: siblings[place..<end])
        }
        return theirs.isEmpty || theirs.contains { $0.isMade(like: control) }
    }

    /// The months that are looked at: on a hostile page there are thousands.
    private static let mostHeads = 50

    /// Returns whether a line above what there is to use says that there is nothing, such as “not yet”.
    private static func isMissing(_ below: ArraySlice<Element>) -> Bool {
        below.prefix { !$0.isOrHoldsSomethingToUse }.contains { !$0.isOutOfReach && $0.text.afterDenial != nil }
    }

    /// False for a month without a document.
    var holdsSomethingToUse: Bool { members.contains(where: \.isOrHoldsSomethingToUse) }

    /// Returns how many elements below a head say the same below each head of the list, such as “Statement as PDF” below each
    /// month: such words name no document of their own.
    ///
    /// The heads have to be a month, a day or a number and nothing else, for “April 2025 not yet” has no document. A head with
    /// nothing to use below it says nothing about the others.
    private static func labels(below place: Int, and others: [Int], of siblings: [Element]) -> Int {
        let heads = (others + [place]).sorted()
        let shape = EntryShape(siblings[place].text, isWhole: true)
        guard shape.isPlain else { return 0 }
        var said: [String] = []
        var count = 0
        for (head, next) in zip(heads, heads.dropFirst() + [siblings.count]) {
            let below = siblings[head..<next].dropFirst()
            guard below.contains(where: \.holdsSomethingToUse) else {
                if head == place { return 0 }
                continue
            }
            guard EntryShape(siblings[head].text, isWhole: true).hasForm(of: shape) else { continue }
            let words = below.map { $0.label(without: siblings[head]) }
            said = count == 0 ? words : Array(zip(said, words).prefix { $0 == $1 }.map(\.0))
            count += 1
        }
        return count > 1 ? said.count : 0
    }

    /// Returns the labels below the other heads. A line after the last entry of a list, such as “Terms and prices”, has none of them.
    private static func labels(belowHeads others: [Int], but place: Int, of siblings: [Element]) -> Set<String> {
        let heads = (others + [place]).sorted()
        var labels: Set<String> = []
        for (head, next) in zip(heads, heads.dropFirst() + [siblings.count]) where head != place {
            labels.formUnion(siblings[head..<next].dropFirst().map { $0.label(without: siblings[head]) })
        }
        return labels
    }

    func holds(_ element: Element) -> Bool {
        members.contains(element) || element.ancestors.contains { members.contains($0) }
    }
}

extension Element {
    /// The element that begins the entry with this element's text; nil where the entry is a block of its own, or has nothing
    /// to use.
    var headOfEntry: Element? { headOfEntry { $0.holdsSomethingToUse } }

    /// True for an element that begins an entry of a list, which has nothing to use.
    var beginsEntryWithoutControl: Bool {
        var isHead = false
        let withControl = headOfEntry { entry in
            isHead = true
            return entry.holdsSomethingToUse
        }
        return isHead && withControl == nil
    }

    private func headOfEntry(where fits: (FlatEntry) -> Bool) -> Element? {
        var here = self
        while !here.holdsSomethingToUse, let parent = here.parent {
            if let entry = FlatEntry(of: here), fits(entry) { return here }
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
        /// The text before its first control.
        fileprivate(set) var opening = ""
        fileprivate var elements: [Element] = []
        /// Its words with each number as 0.
        fileprivate var label: String { words.withEachNumberAsZero }

        /// Returns whether it has a control and begins with another month than a line beside it.
        fileprivate func isEntry(besides month: WrittenPeriod?) -> Bool {
            guard control != nil, let month, let period = words.leadingPeriod, !period.isDay else { return false }
            return !period.covers(month)
        }

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

        /// The line with the control of a line that is a text and nothing else, as in “April 2025” above “Download”: directly below
        /// it, or below lines that say the same below each text of its form.
        var lineBelow: Line? {
            let shape = EntryShape(lines[place].text, isWhole: true)
            guard lines[place].control == nil, shape.isPlain else { return nil }
            let begins = lines.indices.filter {
                let other = EntryShape(lines[$0].text)
                return $0 == place || other.isLike(shape) || other.beginsLike(shape)
                    || EntryShape(lines[$0].words).isLike(shape)
            }
            if Self.mayFollowControls(begins, of: lines) { return nil }
            var ways: [Int: [Line]] = [:]
            for (head, next) in zip(begins, begins.dropFirst() + [lines.count]) {
                let isPlain = EntryShape(lines[head].text, isWhole: true).hasForm(of: shape)
                guard isPlain, lines[head].control == nil else { continue }
                let below = lines[head..<next].dropFirst()
                guard below.count(where: { $0.control != nil }) == 1,
                    let last = below.firstIndex(where: { $0.control != nil })
                else { continue }
                ways[head] = Array(below[...last])
            }
            guard let mine = ways[place], ways.count > 1 || begins.count > 1 && mine.count == 1 else { return nil }
            let labels = mine.map(\.label)
            let isBare = labels.count == 1 && mine[0].words.isEmpty
            guard isBare || ways.count > 1 && ways.values.allSatisfy({ $0.map(\.label) == labels }) else { return nil }
            return mine.last
        }

        /// True for a line of a card: no other line is like it, or an entry by itself.
        var isAllOfItsBlock: Bool {
            let shape = EntryShape(lines[place].text)
            let period = lines[place].words.leadingPeriod
            return lines.indices.allSatisfy {
                $0 == place
                    || !lines[$0].words.isAnotherMonthAlone(than: lines[place].words)
                        && !EntryShape(lines[$0].text).isLike(shape) && (isPair || !lines[$0].isEntryByItself)
                        && !lines[$0].isEntry(besides: period)
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
                if line.control == nil { line.opening += " " + text }
            case .element(let element):
                if element.tag == .br || element.isBlock { end() }
                if element.tag == .br || element.isHidden { continue }
                line.elements.append(element)
                line.text += " " + element.text
                let control = element.isSomethingToUse ? element : element.descendants.first(where: \.isSomethingToUse)
                if line.control == nil, control == nil { line.opening += " " + element.text }
                if line.control == nil { line.control = control }
                line.words += " " + (control == nil ? element.text : element.wordsBesideControls)
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

    /// Returns the words beside its controls without those of its head, and with each number as 0: “Statement (PDF, 98 kB)” and
    /// “Statement (PDF, 120 kB)” are one label.
    fileprivate func label(without head: Element) -> String {
        let words = wordsBesideControls.loweringCase.replacing(head.text.loweringCase, with: "")
        return "\(name) \(words.withEachNumberAsZero)"
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

extension String {
    fileprivate var withEachNumberAsZero: String {
        var text = ""
        for character in self {
            if !character.isNumber { text.append(character) } else if text.last != "0" { text.append("0") }
        }
        return text
    }
}
