import Markup

// The decision whether two texts of a list begin two entries of it. A wrong “no” would give a person their neighbour's
// document, and a wrong “yes” only an error that names the page's own words, so a doubt is a “yes”.

/// The form of a text that begins an entry of a list, such as a month: its words, without what is remarked about them.
struct EntryShape {
    private let words: [Word]

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
        words = (isWhole ? text[...] : text.withoutRemark).split(separator: " ").compactMap { word in
            let digits = word.split { !$0.isNumber }.reduce(0) { $0 + ($1.count < 4 ? 2 : $1.count) }
            let letters = word.count(where: \.isLetter)
            if digits > 0 { return .number(digits) }
            guard letters > 0 else { return nil }
            let isUpper = !word.contains { $0.isLetter && !$0.isUppercase }
            return isUpper ? (letters < 5 ? .short : .capitals) : .lowercase
        }
    }

    /// Returns whether both may begin an entry of one list: “April 2025”, and “March 2025 (new)” or “New: March 2025”.
    func isLike(_ other: EntryShape) -> Bool {
        let (short, long) = words.count <= other.words.count ? (words, other.words) : (other.words, words)
        guard !short.isEmpty else { return false }
        if short.count == long.count { return Self.areAlike(short[...], long[...]) }
        // A word alone is in many texts; a number and its words are not.
        let digits = short.map { if case .number(let digits) = $0 { digits } else { 0 } }.max() ?? 0
        guard short.count > 1 ? digits > 0 : digits > 3 else { return false }
        if Self.areAlike(short[...], long.prefix(short.count)) { return true }
        guard short.count > 1, long.count == short.count + 1 else { return false }
        // “2 May 2025” is a day of the entry “April 2025”, and no other month.
        if case .number = long[0] { return false }
        return Self.areAlike(short[...], long.suffix(short.count))
    }

    /// Returns whether both have the same words in the same order, a number among them: “April 2025” and “March 2025”.
    func hasWords(of other: EntryShape) -> Bool {
        guard words.count == other.words.count, Self.areAlike(words[...], other.words[...]) else { return false }
        return words.contains { if case .number = $0 { true } else { false } }
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
        guard areHeadings || isMadeAlike || isBlock(beside: place), !isOutOfReach, !text.isEmpty, text != head.text
        else {
            return false
        }
        if areHeadings || tag == .dt { return true }
        // “Statement of April 2025” belongs to April 2025; “April 2025 (corrected)” is another entry.
        if text.withoutRemark != head.text.withoutRemark, text.containsWords(head.text) { return false }
        let shape = EntryShape(head.text)
        // Pages colour every second entry, and mark those that are ready. A date under a title has another class, too.
        if !isMadeAlike { return EntryShape(text).hasWords(of: shape) || EntryShape(ownText).hasWords(of: shape) }
        if EntryShape(text).isLike(shape) || EntryShape(ownText).isLike(shape) { return true }
        if EntryShape(text, isWhole: true).isLike(shape) { return true }
        guard tag == .tr, let mine = firstWords, let theirs = head.firstWords else { return false }
        return EntryShape(mine).isLike(EntryShape(theirs))
    }

    private func isBlock(beside other: Element) -> Bool { isBlock && tag == other.tag && parent == other.parent }

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
    private var wordsBesideControls: String {
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
