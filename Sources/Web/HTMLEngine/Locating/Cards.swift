import Markup

// Lists that are drawn with blocks alone: a card for each month, with its text and its button.

extension Element {
    /// The smallest block that holds the element's text and something to use; nil where that is more than one entry of a
    /// list.
    var card: Element? {
        var here: Element? = self
        while let element = here {
            switch element.tag {
            case .body, .html, .main, .table, .tbody: return nil
            default: break
            }
            if element.isBlock, element.holdsSomethingToUse { return element.holdsAnother(like: self) ? nil : element }
            here = element.parent
        }
        return nil
    }

    private var holdsSomethingToUse: Bool {
        descendants.contains { ($0.isA(.link) || $0.isA(.button) || $0.isA(.field)) && !$0.isHidden }
    }

    /// Returns whether the block has another entry: an element of the same kind whose text has the same form, such as
    /// “April 2025” beside “March 2025”.
    private func holdsAnother(like entry: Element) -> Bool {
        let form = entry.text.form
        return descendants.contains { other in
            other != entry && other.tag == entry.tag && other[attribute: "class"] == entry[attribute: "class"]
                && !other.isHidden && other.text != entry.text && other.text.form == form
        }
    }
}

extension String {
    /// The text with each word as one letter and each number as one digit.
    fileprivate var form: String {
        var form = ""
        for character in self {
            let sign: Character = character.isLetter ? "a" : character.isNumber ? "0" : character
            if sign != form.last || sign != "a" && sign != "0" { form.append(sign) }
        }
        return form
    }
}
