import Markup

// Lists that are drawn with blocks alone: a card for each month, with its text and its button.

extension Element {
    /// The smallest block that holds the element's text and something to use; nil where that is more than one entry of a
    /// list.
    var card: Element? {
        var chain: [Element] = []
        var here: Element? = self
        while let element = here {
            switch element.tag {
            case .table where chain.contains { $0.tag == .caption }:
                return element.holdsSomethingToUse ? element : nil
            case .body, .html, .main, .table, .tbody: return nil
            default: break
            }
            // A link around several texts is all of its card.
            if element != self, element.isA(.link) || element.isA(.button), element.text != text { return element }
            if element.isBlock || element.isCustom && element.isOneOfMany, element.holdsSomethingToUse {
                return element.isOneEntry(of: self, along: chain) ? element : nil
            }
            chain.append(element)
            here = element.parent
        }
        return nil
    }

    var holdsSomethingToUse: Bool {
        descendants.contains { $0.isSomethingToUse }
    }

    var isOrHoldsSomethingToUse: Bool { isSomethingToUse || holdsSomethingToUse }

    /// True for a control that is in sight, or that a click on a summary shows.
    var isSomethingToUse: Bool { (isA(.link) || isA(.button) || isA(.field)) && !isOutOfReach }

    /// Returns whether a block is the entry of one text, and of no other.
    ///
    /// - Parameters:
    ///   - head: the element with the text.
    ///   - chain: the elements from the head up to the block, without it.
    func isOneEntry(of head: Element, along chain: [Element]) -> Bool {
        if let line = lines(with: head) { return line.isAllOfItsBlock }
        let around = Set(chain)
        // A page can nest thousands of elements.
        let near = chain.prefix(12)
        let rank = chain.first { $0.tag.isHeading } ?? head
        let isOneOfMany = isOneOfMany
        let siblings = isOneOfMany ? [] : near.map { SiblingTexts($0.parent?.children ?? []) }
        let period = head.ownPeriod
        var isPast = false
        for other in descendants {
            if other == head { isPast = true }
            guard !around.contains(other) else { continue }
            let isOther =
                near.contains { other.beginsAnother(than: head, at: $0) }
                || zip(near, siblings).contains {
                    other.isBeside($0) && other.beginsWithAnotherWord(than: $0, among: $1)
                }
                || isPast && other.endsEntry(of: rank) && !isOneOfMany
                || near.contains(where: other.isBeside) && other.isEntryOfItsOwn(beside: period)
            // The head's own words are its own.
            if isOther, !other.ancestors.contains(head) { return false }
        }
        return true
    }

    /// True for an element with a name of its page's own, which a style sheet draws as a block or not (HTML Standard, 4.13).
    private var isCustom: Bool { tag == .other && name.contains("-") }

    /// True for an element beside others that are made like it, each with something to use.
    var isOneOfMany: Bool {
        parent?.children.contains { $0 != self && $0.isMade(like: self) && $0.holdsSomethingToUse } ?? false
    }
}

extension String {
    /// The form that the texts of one list share: each word as one letter, which is a capital for a word like “EUR”, and each digit as 0.
    var form: String {
        split(separator: " ").map { word in
            let sign = word.count < 5 && word.allSatisfy(\.isUppercase) ? "A" : "a"
            var form = ""
            for character in word {
                if character.isNumber {
                    form += "0"
                } else if !character.isLetter {
                    form.append(character)
                } else if form.last != sign.last {
                    form += sign
                }
            }
            return form
        }.joined(separator: " ")
    }
}
