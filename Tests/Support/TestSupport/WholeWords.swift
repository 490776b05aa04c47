extension String {
    /// Returns whether the text has a word that is not a part of a longer run of letters and digits. Four digits of an
    /// account's number are in a random digest now and then, and say nothing there.
    package func has(wholeWord word: String) -> Bool {
        func isInside(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        return ranges(of: word).contains { range in
            let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : nil
            let after = range.upperBound < endIndex ? self[range.upperBound] : nil
            return !isInside(before) && !isInside(after)
        }
    }
}
