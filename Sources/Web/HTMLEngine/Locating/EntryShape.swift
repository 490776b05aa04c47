import Encodings
import Markup

// The decision whether two texts of a list begin two entries of it. A wrong “no” would give a person their neighbour's
// document, and a wrong “yes” only an error that names the page's own words, so a doubt is a “yes”.

/// The form of a text that begins an entry of a list, such as a month: its words, without what is remarked about them.
struct EntryShape {
    private let words: [Word]
    /// The same words as they are written, in lower case.
    private let text: [String]
    /// True for a text of which only the first words were read. They may be like those of another text, but not all of it.
    private let isCut: Bool

    /// The characters that are read: a text that begins an entry is shorter, and a page can have thousands of longer ones.
    private static let longest = 400

    private enum Word {
        /// The number of its digits. Up to three together count as two: after 9/2025 comes 10/2025, and after 99 comes 100.
        case number(Int)
        case lowercase
        /// Fewer than five capitals: `MAY`, or `EUR`.
        case short
        /// More capitals: `MARCH`.
        case capitals
    }

    /// - Parameter isWhole: takes the remarks for words of the text, as in “New: March 2025”.
    init(_ text: String, isWhole: Bool = false) {
        var written: [String] = []
        let start = String(text.prefix(Self.longest))
        let said = isWhole ? start[...] : start.withoutRemark
        isCut = said.endIndex == start.endIndex && start.utf8.count < text.utf8.count
        words = said.split(separator: " ").compactMap { word in
            guard let kind = Self.kind(of: word) else { return nil }
            written.append(String(word).loweringCase)
            return kind
        }
        self.text = written
    }

    /// True for one word without a number: “April”.
    var isWord: Bool { words.count == 1 && isName }

    /// Returns nil for a word without letters and numbers.
    private static func kind(of word: Substring) -> Word? {
        let digits = word.split { !$0.isNumber }.reduce(0) { $0 + ($1.count < 4 ? 2 : $1.count) }
        let letters = word.count(where: \.isLetter)
        if digits > 0 { return .number(digits) }
        guard letters > 0 else { return nil }
        let isUpper = !word.contains { $0.isLetter && !$0.isUppercase }
        return isUpper ? (letters < 5 ? .short : .capitals) : .lowercase
    }

    /// Returns whether both may begin an entry of one list: “April 2025”, and “March 2025 (new)” or “New: March 2025”.
    func isLike(_ other: EntryShape) -> Bool {
        let (short, long) = words.count <= other.words.count ? (words, other.words) : (other.words, words)
        guard !short.isEmpty else { return false }
        let areWhole = !isCut && !other.isCut
        if short.count == long.count { return areWhole && Self.areAlike(short[...], long[...]) }
        guard Self.areDistinct(short) else { return false }
        if Self.areAlike(short[...], long.prefix(short.count)) { return true }
        guard areWhole, short.count > 1, long.count == short.count + 1 else { return false }
        // “2 May 2025” is a day of the entry “April 2025”, and no other month.
        if case .number = long[0] { return false }
        return Self.areAlike(short[...], long.suffix(short.count))
    }

    /// Returns whether one begins with words of the other's kinds: “April 2025 new” and “March 2025”, but not “Sent in March 2025”.
    func hasBeginning(of other: EntryShape) -> Bool {
        let (short, long) = words.count <= other.words.count ? (words, other.words) : (other.words, words)
        return Self.areDistinct(short) && Self.areAlike(short[...], long.prefix(short.count))
    }

    /// A word alone is in many texts; a number and its words are not.
    private static func areDistinct(_ words: [Word]) -> Bool {
        let digits = words.map { if case .number(let digits) = $0 { digits } else { 0 } }.max() ?? 0
        return words.count > 1 ? digits > 0 : digits > 3
    }

    /// Returns whether both have the same words in the same order, a number among them: “April 2025” and “March 2025”.
    func hasWords(of other: EntryShape) -> Bool {
        hasForm(of: other)
            && words.contains { if case .number = $0 { true } else { false } }
    }

    /// Returns whether both have words of the same kinds in the same order.
    func hasForm(of other: EntryShape) -> Bool {
        !isCut && !other.isCut && words.count == other.words.count && Self.areAlike(words[...], other.words[...])
    }

    /// Returns whether both begin with the same words and a number: “April 2025 not yet” and “March 2025 Statement”. The words before
    /// a short number have to be the same: “Statement 5” and “Statement 4”.
    func beginsLike(_ other: EntryShape) -> Bool {
        guard let mine = beginning, let theirs = other.beginning, mine.words.count == theirs.words.count,
            Self.areAlike(mine.words, theirs.words)
        else { return false }
        return mine.isLong || text[..<mine.words.endIndex].dropLast() == other.text[..<theirs.words.endIndex].dropLast()
    }

    /// The words up to the first long number among the first four, or up to the first number.
    private var beginning: (words: ArraySlice<Word>, isLong: Bool)? {
        func isNumber(of digits: Int) -> (Word) -> Bool {
            { if case .number(let count) = $0 { count >= digits } else { false } }
        }
        let first = words.prefix(4)
        if let place = first.firstIndex(where: isNumber(of: 4)) { return (first[...place], true) }
        return first.firstIndex(where: isNumber(of: 1)).map { (first[...$0], false) }
    }

    /// True for one or two words without a number: “April”, and “April new”.
    var isName: Bool {
        (1...2).contains(words.count) && !words.contains { if case .number = $0 { true } else { false } }
    }

    /// True for a day in digits, such as 30.4.2025. Two of them make a period.
    var isDay: Bool {
        guard words.count == 1, case .number(let digits) = words[0] else { return false }
        return digits > 6
    }

    /// True for one word, and for words that end in a number: “April”, and “Statement of April 2025”.
    var isPlain: Bool {
        if words.count == 1 { return true }
        if case .number? = words.last { return true }
        return false
    }

    private static func areAlike(_ left: ArraySlice<Word>, _ right: ArraySlice<Word>) -> Bool {
        zip(left, right).allSatisfy { left, right in
            switch (left, right) {
            case (.number(let left), .number(let right)): left == right
            case (.number, _), (_, .number): false
            case (.lowercase, .short), (.short, .lowercase): false
            default: true
            }
        }
    }
}

/// The number of siblings with each text. It is counted once, since a page can have thousands of siblings.
struct SiblingTexts {
    /// By the first words of their texts.
    let openings: [String: Int]
    private let controls: [String: Int]

    init(_ siblings: [Element]) {
        var openings: [String: Int] = [:]
        var controls: [String: Int] = [:]
        for sibling in siblings {
            openings[sibling.opening, default: 0] += 1
            if sibling.isControlAlone { controls[sibling.text, default: 0] += 1 }
        }
        self.openings = openings
        self.controls = controls
    }

    /// Returns whether an element is a control and nothing else, as there is below each month: “Download”. A name that is there once
    /// may be a month's.
    func hasControlOfEach(_ element: Element) -> Bool {
        element.isControlAlone && controls[element.text, default: 0] > 1
    }
}

extension String {
    /// The text before a remark: “March 2025” of “March 2025 (new)” and of “March 2025 – not yet”.
    var withoutRemark: Substring {
        var end = endIndex
        for mark in [" (", " [", " – ", " — ", " - ", ": ", ", ", " · ", " | ", " • ", "; "] {
            if let place = firstRange(of: mark), place.lowerBound > startIndex {
                end = Swift.min(end, place.lowerBound)
            }
        }
        return self[..<end]
    }
}

extension String {
    /// Returns whether both begin with a month or a day, and with another one each.
    fileprivate func leadsElsewhere(than other: String) -> Bool {
        guard let mine = leadingPeriod, let theirs = other.leadingPeriod else { return false }
        return !mine.covers(theirs) && !theirs.covers(mine)
    }

    /// Returns whether both begin with a month without its year, and with another one each.
    func isAnotherMonthAlone(than other: String) -> Bool {
        namesMonthAlone && other.namesMonthAlone && leadsElsewhere(than: other)
    }

    /// True for a text that begins with a month without its year: “April”, and “April is not here”.
    var namesMonthAlone: Bool { leadingPeriod.map { $0.years.isEmpty && !$0.isDay } ?? false }
}

extension Element {
    /// True for elements that a page's author would write alike: of one tag, with a class in common or none.
    func isMade(like other: Element) -> Bool {
        guard tag == other.tag, tag != .other || name == other.name else { return false }
        let (mine, theirs) = (self[attribute: "class"] ?? "", other[attribute: "class"] ?? "")
        guard mine != theirs else { return true }
        return !Set(mine.words).isDisjoint(with: theirs.words)
    }

    /// The text of its own nodes, without that of the elements inside.
    var ownText: String {
        nodes.compactMap { if case .text(let text) = $0 { text } else { nil } }.joined(separator: " ").foldingSpace
    }

    /// 1 to 6 for a heading.
    private var headingLevel: Int? { tag.isHeading ? name.last?.wholeNumberValue : nil }

    /// Returns whether the element begins another entry than the head does, by its text or by its rank as a heading.
    ///
    /// - Parameter place: an element that begins the head's entry and is made of nothing else: the head itself, or one around it.
    func beginsAnother(than head: Element, at place: Element) -> Bool {
        let areHeadings = headingLevel != nil && headingLevel == place.headingLevel
        let isMadeAlike = isMade(like: place)
        guard areHeadings || isMadeAlike || isBeside(place), !isOutOfReach else { return false }
        let (text, theirs) = (text, head.text)
        guard !text.isEmpty, text != theirs else { return false }
        if areHeadings, isSecondHeading(of: place) { return false }
        if areHeadings || tag == .dt { return true }
        // “Statement of April 2025” belongs to April 2025; “April 2025 (corrected)” is another entry.
        // “March 2025 (not ready, see April 2025)” is March's all the same.
        if text.containsWords(theirs), text.withoutRemark != theirs.withoutRemark, !text.leadsElsewhere(than: theirs) {
            return false
        }
        if isControlAlone, parent?.isOneOfMany ?? false { return false }
        // “April is not here, see July” begins an entry beside “July”.
        if isMadeAlike, text.isAnotherMonthAlone(than: theirs) { return true }
        let shape = EntryShape(theirs)
        // Pages colour every second entry, and mark those that are ready. A date under a title has another class, too.
        if !isMadeAlike, !isBlock, shape.isDay, isEndOfPeriod(from: place) { return false }
        let (all, own) = (EntryShape(text), EntryShape(ownText))
        if !isMadeAlike, all.hasWords(of: shape) || own.hasWords(of: shape) { return true }
        if EntryShape(opening).beginsLike(EntryShape(place.opening)) { return true }
        guard isMadeAlike else { return false }
        if all.isLike(shape) || own.isLike(shape) { return true }
        if EntryShape(text, isWhole: true).isLike(shape) { return true }
        guard tag == .tr, let mine = firstWords, let theirs = head.firstWords else { return false }
        return EntryShape(mine).isLike(EntryShape(theirs))
    }

    /// True for a heading directly below another of its rank, in a card whose neighbours have the same below theirs: “April 2025”
    /// and “Statement of account”, beside “March 2025” and “Statement of account”.
    private func isSecondHeading(of first: Element) -> Bool {
        guard let card = parent, card.isOneOfMany, first.headingDirectlyBelow == self else { return false }
        let shape = EntryShape(first.text)
        return card.parent?.children.prefix(Self.mostSiblings).contains { other in
            guard other != card, other.isMade(like: card), other.holdsSomethingToUse else { return false }
            let heading = other.children.first { $0.headingLevel == headingLevel && !$0.isOutOfReach }
            guard let heading, let second = heading.headingDirectlyBelow else { return false }
            return second.text == text && heading.text != first.text && EntryShape(heading.text).hasForm(of: shape)
        } ?? false
    }

    /// The heading of the same rank with nothing between it and this one.
    private var headingDirectlyBelow: Element? {
        guard let nodes = parent?.nodes, let level = headingLevel,
            let place = nodes.firstIndex(where: {
                if case .element(let element) = $0 { element == self } else { false }
            })
        else { return nil }
        for node in nodes[place...].dropFirst() {
            switch node {
            case .text(let text): if !text.foldingSpace.isEmpty { return nil }
            case .element(let element):
                if element.isOutOfReach || element.text.isEmpty && !element.holdsSomethingToUse { continue }
                return element.headingLevel == level ? element : nil
            }
        }
        return nil
    }

    /// The siblings that are compared with each other: on a hostile page there are thousands.
    private static let mostSiblings = 500

    /// True for a control and nothing else.
    var isControlAlone: Bool { holdsSomethingToUse && wordsBesideControls.isEmpty }

    func isBeside(_ other: Element) -> Bool { tag == other.tag && parent == other.parent }

    /// True for one of two days in one line: “1.4.2025 – 30.4.2025”.
    private func isEndOfPeriod(from other: Element) -> Bool {
        guard let siblings = parent?.children, siblings.count <= Self.mostSiblings,
            let place = siblings.firstIndex(of: other)
        else { return false }
        // Between them is a dash or a word such as “until”.
        guard let mine = siblings.firstIndex(of: self),
            siblings[min(place, mine)...max(place, mine)].dropFirst().dropLast().allSatisfy({ $0.text.count < 8 })
        else { return false }
        return siblings[max(0, place - 1)...].prefix(3).contains(self)
            && siblings.count { EntryShape($0.text).isDay } == 2
    }

    /// Returns whether the element and the head begin with a word or two, which no other of the siblings has: “August” and “July”,
    /// but not the “Statement” below each month.
    ///
    /// - Parameter siblings: all of them.
    func beginsWithAnotherWord(than head: Element, among siblings: SiblingTexts) -> Bool {
        guard tag == head.tag, !isOutOfReach, EntryShape(head.opening).isName else { return false }
        let opening = opening
        return opening != head.opening && EntryShape(opening).isName && siblings.openings[opening] == 1
    }

    /// The first words of its text, up to the next element.
    var opening: String {
        var here = self
        // A page can nest thousands of elements.
        for _ in 0..<12 {
            var inner: Element?
            look: for node in here.nodes {
                switch node {
                case .text(let text):
                    let text = text.foldingSpace
                    if !text.isEmpty { return text }
                case .element(let element):
                    if element.isOutOfReach || element.text.isEmpty { continue }
                    inner = element
                    break look
                }
            }
            guard let inner else { return "" }
            here = inner
        }
        return here.text
    }

    /// The text of a row's first cell that has one and no control.
    private var firstWords: String? {
        children.first { !$0.isHidden && !$0.text.isEmpty && !$0.holdsSomethingToUse }?.text
    }

    /// Returns whether a heading begins something else than the head's entry, which came before.
    func endsEntry(of head: Element) -> Bool {
        if tag == .hr { return true }
        guard let level = headingLevel, !isOutOfReach else { return false }
        return head.headingLevel.map { level <= $0 } ?? true
    }

    /// The words beside the controls in it.
    var wordsBesideControls: String {
        if isSomethingToUse { return "" }
        return nodes.map { node in
            switch node {
            case .text(let text): text
            case .element(let element): element.isHidden ? "" : element.wordsBesideControls
            }
        }.joined(separator: " ").foldingSpace
    }

    /// True for an element with a control and with words of its own, such as “Annual report Download”: an entry by itself. A
    /// size, a format and a label that ends in a colon are no such words.
    var isEntryByItself: Bool {
        holdsSomethingToUse && Self.nameSomething(wordsBesideControls)
    }

    static func nameSomething(_ words: String) -> Bool {
        guard !words.hasSuffix(":") else { return false }
        return words.split(separator: " ").contains { word in
            word.count(where: \.isNumber) > 5
                || word.count(where: \.isLetter) > 2 && word.contains { $0.isLetter && !$0.isUppercase }
                    && !["bytes", "page", "pages"].contains(word.lowercased())
        }
    }
}
