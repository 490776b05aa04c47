import Encodings
import Markup
import Selectors

// A text of another month's entry in a list without a block for each entry, such as “available since April 2025” below the
// document of March: what there is to use below such a text is March's.

extension Element {
    /// The siblings that are looked at: on a hostile page there are thousands.
    private static let mostSiblings = 200
    private static let mostHeads = 1000

    /// Returns whether both texts have one tag and begin in one form: “April 2025 (new)” and “March 2025”, or “April” and “March”.
    func isWritten(like other: Element) -> Bool {
        guard tag == other.tag, !isOutOfReach else { return false }
        if EntryShape(text).hasBeginning(of: EntryShape(other.text)) { return true }
        return opening.namesMonthAlone && other.opening.namesMonthAlone
    }

    /// Returns the places of the siblings that name a month and are written like this one, in order; none where this one names
    /// no month.
    func heads(among siblings: [Element]) -> [Int] {
        guard names(withDays: true) else { return [] }
        return siblings.indices.prefix(Self.mostHeads).filter {
            siblings[$0] == self
                || siblings[$0].tag == tag && siblings[$0].names(withDays: true) && siblings[$0].isWritten(like: self)
        }
    }

    /// Returns whether the text is a remark in another's entry: the list's heads are made in another way, and the nearest
    /// one above it says something else than the wanted text.
    func isRemarkBelowAnother(saying text: TextMatch) -> Bool {
        guard case .name(let name) = text, tag != .dt, !isA(.heading), !isOrHoldsSomethingToUse,
            let siblings = parent?.children, siblings.count > 2, let place = siblings.firstIndex(of: self)
        else { return false }
        let wanted = text.wantedPeriod
        let words = name.foldingSpace.loweringCase
        let shape = EntryShape(name)
        func isHead(_ element: Element) -> Bool {
            guard !element.isOutOfReach else { return false }
            if let wanted { return element.names(withDays: wanted.isDay) }
            return EntryShape(element.text).hasBeginning(of: shape)
        }
        func isOther(_ head: Element) -> Bool {
            wanted.map(head.isOfAnother) ?? !head.text.loweringCase.containsWords(words)
        }
        guard let first = siblings.prefix(Self.mostSiblings).first(where: isHead), first != self else { return false }
        // The two days of a period stand beside each other.
        if wanted?.isDay ?? false, siblings.count(where: { $0.text.leadingPeriod?.isDay ?? false }) == 2 {
            return false
        }
        func isWrittenAsHead(_ element: Element) -> Bool { isHead(element) && element.isWritten(like: first) }
        let alike = siblings.prefix(Self.mostSiblings).filter(isWrittenAsHead)
        // “April 2025: not yet” is the list's own April, so that another “April 2025” does not begin an entry.
        let said = self.text
        let isDenied = alike.contains {
            $0 != self && $0.isMade(like: self) && $0.text.withoutRemark == said && $0.text.afterDenial != nil
        }
        if isDenied { return true }
        let isWrittenAlike = isWrittenAsHead(self)
        if isWrittenAlike, !isOfAnotherClass(than: first, in: siblings, among: alike, isOther: isOther) { return false }
        func isOneOfHeads(_ element: Element) -> Bool {
            isWrittenAsHead(element) && (!isWrittenAlike || element.isMade(like: first))
        }
        guard alike.count(where: isOneOfHeads) > 1 else { return false }
        return siblings[..<place].suffix(Self.mostSiblings).last(where: isOneOfHeads).map(isOther) ?? false
    }

    /// Returns whether the classes tell that this text is not one of the heads that are written like it. Pages colour every second
    /// entry, too.
    private func isOfAnotherClass(
        than first: Element, in siblings: [Element], among heads: [Element], isOther: (Element) -> Bool
    ) -> Bool {
        guard !isMade(like: first) else { return false }
        if heads.contains(where: { $0.isMade(like: first) && !isOther($0) }) { return true }
        let near = siblings.prefix(Self.mostSiblings)
        func isOfHeadsAlone(_ one: Element) -> Bool {
            near.allSatisfy { !$0.isMade(like: one) || heads.contains($0) }
        }
        return isOfHeadsAlone(first) && !isOfHeadsAlone(self)
    }

    /// Returns whether it names a month, or a day where the entries are days.
    private func names(withDays: Bool) -> Bool {
        String(text.prefix(400)).writtenPeriods.contains { withDays || !$0.isDay }
    }
}
