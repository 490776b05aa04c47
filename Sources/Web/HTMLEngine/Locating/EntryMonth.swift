import Clocks
import Encodings
import Markup
import Selectors

// A month that an entry names in passing, such as “available since April 2025” in March's: its document is March's.

extension TextMatch {
    /// The month that the wanted text names; nil for a pattern, and where it names none or several.
    var wantedPeriod: WrittenPeriod? {
        if case .regex = self { return nil }
        let periods = words.writtenPeriods
        guard periods.count == 1, let period = periods.first, period.months.count == 1 else { return nil }
        return period
    }

    /// Returns whether this names a year or a month, and a list is one of years or months without it. All labels but the first, which
    /// may be “Please choose”, have to be read, for else one of them may be the wanted one in other words.
    func isPeriodMissing(among labels: [String]) -> Bool {
        if case .regex = self { return false }
        func isMissing<Period>(_ wanted: Period, _ read: (String) -> Period?, _ covers: (Period, Period) -> Bool)
            -> Bool
        {
            let periods = labels.map(read)
            let known = periods.compactMap(\.self)
            return known.count > 1 && periods.dropFirst().allSatisfy { $0 != nil }
                && !known.contains { covers($0, wanted) }
        }
        if let year = Self.year(words) { return isMissing(year, Self.year, ==) }
        if let month = MonthWords.month(words) { return isMissing(month, MonthWords.month(_:), ==) }
        guard let wanted = wantedPeriod else { return false }
        return isMissing(wanted, \.wholePeriod) { $0.covers($1) }
    }

    private static func year(_ text: String) -> Int? {
        guard text.count == 4, let year = Int(text), (1900...2199).contains(year) else { return nil }
        return year
    }
}

extension String {
    /// The period that it names and nothing beside, such as “March 2026” and “03/2026”; nil for any other text.
    fileprivate var wholePeriod: WrittenPeriod? {
        let periods = writtenPeriods
        return periods.count == 1 && split(whereSeparator: { !$0.isLetter && !$0.isNumber }).count < 3
            ? periods[0] : nil
    }
}

extension Element {
    /// The texts that are read for an entry's month: on a hostile page there are thousands.
    private static let mostTexts = 200

    /// Returns whether the entry's own month is another than the wanted one, which it names in passing.
    func isOfAnother(than wanted: WrittenPeriod) -> Bool {
        let named = namedPeriods(withDays: wanted.isDay)
        guard let own = named.heading ?? named.texts.first?.period else { return false }
        return !own.covers(wanted)
    }

    /// The month of the last heading before what there is to use, or else the first month of its headings, or of all its
    /// texts. A day alone does not count, for it may tell when a document was made.
    var ownPeriod: WrittenPeriod? {
        let named = namedPeriods()
        return named.heading ?? named.texts.first?.period
    }

    /// Returns whether this block holds several entries, and the last one before what there is to use is another month's.
    private func holdsAnother(than wanted: WrittenPeriod) -> Bool {
        guard !isA(.row), !isOneOfManyColours || !holdsSomethingToUse else { return false }
        let named = namedPeriods()
        guard named.heading == nil, let first = named.texts.first, let last = named.texts.last,
            !last.period.covers(wanted)
        else { return false }
        // “March” alone is a month, too, and where no other entry is beside it, it may be the one of what there is to use.
        return EntryShape(last.text).hasForm(of: EntryShape(first.text)) || EntryShape(last.text).isWord
    }

    /// The months in it: of the last heading before what there is to use, or else of the first one, and of its texts up to
    /// there. A text after it counts only where no text before it names a month.
    ///
    /// - Parameter withDays: takes a day alone for a period, too, as in a list whose entries are days.
    private func namedPeriods(
        withDays: Bool = false
    ) -> (heading: WrittenPeriod?, texts: [(text: String, period: WrittenPeriod)]) {
        var heading: WrittenPeriod?
        var texts: [(text: String, period: WrittenPeriod)] = []
        var isPastControl = false
        var work: [(node: Node, isHeading: Bool)] = [(.element(self), false)]
        var count = 0
        while let (node, isHeading) = work.popLast(), count < Self.mostTexts {
            switch node {
            case .text(let text):
                guard !text.isEmpty, isHeading || texts.isEmpty || !isPastControl else { continue }
                count += 1
                let text = String(text.prefix(1000)).foldingSpace
                guard let period = text.writtenPeriods.first(where: { withDays || !$0.isDay }) else { continue }
                if isHeading { heading = period }
                let isEntry =
                    text.leadingPeriod == period || EntryShape(text).hasForm(of: EntryShape(texts.first?.text ?? ""))
                if texts.isEmpty || isEntry { texts.append((text, period)) }
            case .element(let element):
                guard !element.isOutOfReach else { continue }
                let isHeading = isHeading || element.isA(.heading) || [.dt, .th, .summary].contains(element.tag)
                if !isHeading, element.isSomethingToUse { isPastControl = true }
                if isPastControl, heading != nil { return (heading, texts) }
                work += element.nodes.reversed().map { ($0, isHeading) }
            }
        }
        return (heading, texts)
    }

    /// The text above this one that names a month, with nothing to use between them.
    private func monthAbove(among siblings: some BidirectionalCollection<Element>) -> Element? {
        guard let place = siblings.firstIndex(of: self) else { return nil }
        for above in siblings[..<place].reversed().prefix(Self.mostTexts) where !above.isOutOfReach {
            if above.isSomethingToUse || above.holdsSomethingToUse || above.tag == .hr { return nil }
            if above.ownPeriod != nil { return above }
        }
        return nil
    }

    /// True for a block beside others of its tag, each with something to use, whatever their classes are.
    private var isOneOfManyColours: Bool {
        parent?.children.prefix(Self.mostTexts).contains {
            $0 != self && $0.tag == tag && $0.holdsSomethingToUse
        } ?? false
    }

    /// Returns whether a text above this one, in an entry without a block of its own, names another month than the
    /// wanted one: this text may be a remark below that month.
    private func isBelowAnother(than wanted: WrittenPeriod) -> Bool {
        guard let siblings = parent?.children else { return false }
        if tag == .dd, let place = siblings.firstIndex(of: self),
            let term = siblings[..<place].last(where: { $0.tag == .dt })
        {
            return term.isOfAnother(than: wanted)
        }
        guard let above = monthAbove(among: siblings), let period = above.ownPeriod, !period.covers(wanted) else {
            return false
        }
        let mine = EntryShape(text)
        func isWritten(like other: Element) -> Bool {
            let theirs = EntryShape(other.text)
            guard other.tag == tag, text.leadingPeriod?.isDay != true else { return false }
            if theirs.hasForm(of: mine) { return true }
            return theirs.isLike(mine) && other.text.leadingPeriod != nil && text.leadingPeriod != nil
        }
        // Where both are made alike, the month above has no document.
        if above.isMade(like: self), isWritten(like: above) { return false }
        // What a list begins with are its months, and a sentence above it is not made like one of them.
        let months = siblings.prefix(Self.mostTexts).filter {
            ($0.tag == above.tag || $0.tag == tag) && !$0.isOutOfReach && $0.ownPeriod != nil
        }
        guard let first = months.first, first != self, first.tag == above.tag || !first.isMade(like: self) else {
            return false
        }
        if isWritten(like: first) {
            guard isWritten(like: above) else { return false }
            // In a list of two colours some month has none above it.
            let alike = months.filter { $0.isMade(like: self) }.prefix(20)
            return !first.isMade(like: self)
                && alike.allSatisfy { $0.monthAbove(among: siblings)?.isMade(like: above) ?? false }
        }
        // A sentence about the whole list would stand outside of a card.
        if parent?.isOneOfManyColours ?? false { return true }
        return months.contains { other in
            guard other != above, other != self, other.tag == above.tag else { return false }
            return other.has("class") && above.has("class") || other.isMade(like: above)
        }
    }

    /// Returns whether another month begins between this one and what there is to use below it.
    func isFollowedByAnother(_ elements: ArraySlice<Element>) -> Bool {
        guard tag != .dt, let period = ownPeriod ?? text.leadingPeriod else { return false }
        // What a list begins with are its months. This one is a remark where another of them is below it.
        let first = parent?.children.prefix(Self.mostTexts).first { !$0.isOutOfReach && $0.ownPeriod != nil }
        let months = first.flatMap { $0.isMade(like: self) ? nil : $0 }
        for element in elements.prefix(Self.mostTexts) where element != self {
            if element.beginsWithAnotherPeriod(than: period) || element.holdsEntryOfAnother(than: period) {
                return true
            }
            if let months, element.isMade(like: months), element.isOfAnother(than: period) { return true }
            if let first, first != self, element.isWritten(like: first), !isWritten(like: first),
                element.isOfAnother(than: period)
            {
                return true
            }
            if element.isSomethingToUse || element.holdsSomethingToUse { break }
        }
        return false
    }

    /// Returns whether it begins with another month than a text above it: there begins another entry.
    private func beginsWithAnotherPeriod(than month: WrittenPeriod) -> Bool {
        if tag == .dt || isA(.heading) { return isOfAnother(than: month) }
        guard let period = String(text.prefix(100)).leadingPeriod, !period.isDay else { return false }
        return !period.covers(month)
    }

    /// Returns whether what there is to use in it is in a smaller block with another month's name.
    private func holdsEntryOfAnother(than month: WrittenPeriod) -> Bool {
        guard let control = firstControl, control != self,
            let block = control.ancestors.prefix(while: { $0 != self }).first(where: \.isBlock)
        else { return false }
        return block.isOfAnother(than: month)
    }

    /// Returns whether it is a block beside another month's that begins with its own and has something to use.
    func isEntryOfItsOwn(beside month: WrittenPeriod?) -> Bool {
        guard let month else { return false }
        return holdsSomethingToUse && beginsWithAnotherPeriod(than: month)
    }

    /// Returns whether this row is below the row of another entry, in a table in which each entry has a row of its own with
    /// fewer cells.
    fileprivate func isRowBelowAnother(saying text: TextMatch) -> Bool {
        guard tag == .tr, case .name(let name) = text, let rows = parent?.children.prefix(500),
            let place = rows.firstIndex(of: self)
        else { return false }
        let width = children.count
        guard let start = rows[..<place].lastIndex(where: { $0.children.count != width }),
            !rows[start..<place].contains(where: \.holdsSomethingToUse)
        else { return false }
        let above = rows[start]
        func isHead(_ row: Element) -> Bool {
            guard row.children.count == above.children.count, !row.isOutOfReach else { return false }
            return row.ownPeriod != nil || row.text.leadingPeriod != nil
                || EntryShape(row.text).hasBeginning(of: EntryShape(name))
        }
        let isOther =
            text.wantedPeriod.map(above.isOfAnother) ?? !above.text.loweringCase.containsWords(name.loweringCase)
        return isOther && isHead(above) && rows.prefix(Self.mostTexts).contains { $0 != above && isHead($0) }
    }

    fileprivate func isEntryOfAnother(than wanted: WrittenPeriod) -> Bool {
        if isOfAnother(than: wanted) || holdsAnother(than: wanted) || refersToAnother(than: wanted) { return true }
        return !isSomethingToUse && !holdsSomethingToUse && isBelowAnother(than: wanted)
    }
}

extension Element {
    /// The texts before the first thing to use; all of them where there is nothing to use.
    var textsBeforeControl: [String] {
        let control = firstControl
        var texts: [String] = []
        var work: [Node] = [.element(self)]
        while let node = work.popLast(), texts.count < Self.mostTexts {
            switch node {
            case .text(let text):
                let text = text.foldingSpace
                if !text.isEmpty { texts.append(text) }
            case .element(let element):
                if element == control { return texts }
                if !element.isOutOfReach { work += element.nodes.reversed() }
            }
        }
        return texts
    }

    /// Returns whether it begins with another text of the wanted form, such as “31.3.2025”, and has the wanted one, such as
    /// “30.4.2025”, only after what there is to use.
    fileprivate func saysInPassing(_ text: TextMatch) -> Bool {
        guard case .name(let name) = text, tag != .tr, holdsSomethingToUse else { return false }
        let wanted = name.foldingSpace.loweringCase
        let opening = opening
        guard EntryShape(opening).hasWords(of: EntryShape(name)), !opening.loweringCase.containsWords(wanted) else {
            return false
        }
        return !textsBeforeControl.joined(separator: " ").loweringCase.containsWords(wanted)
    }
}

extension [Element] {
    /// Returns these entries; none where each of them has the wanted text in passing only.
    func unlessInPassing(_ text: TextMatch) -> [Element] {
        let wanted = text.wantedPeriod
        // Of many entries none is the wanted one alone, and on a hostile page there are thousands.
        let areMany = count > 20
        let isClear = contains { entry in
            !entry.saysInPassing(text) && !entry.isRowBelowAnother(saying: text)
                && (areMany || !entry.isRemarkBelowAnother(saying: text))
                && !(wanted.map(entry.isEntryOfAnother) ?? false)
        }
        return isClear ? self : []
    }
}
