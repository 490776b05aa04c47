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
            // A link around several texts is all of its card.
            if element != self, element.isA(.link) || element.isA(.button), element.text != text { return element }
            if element.isBlock, element.holdsSomethingToUse { return element.holdsAnother(like: self) ? nil : element }
            here = element.parent
        }
        return nil
    }

    var holdsSomethingToUse: Bool {
        descendants.contains { $0.isSomethingToUse }
    }

    /// True for a control that is in sight, or that a click on a summary shows.
    var isSomethingToUse: Bool { (isA(.link) || isA(.button) || isA(.field)) && !isOutOfReach }

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
