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
    /// The text with each word as one letter, which is a capital for a word like “EUR”, and each digit as 0.
    fileprivate var form: String {
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
