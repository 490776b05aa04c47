/// Similarity measures for suggesting what a person may have meant.
package enum Similarity {
    /// Returns the better of shared words and edit distance, from 0 (nothing in common) to 1 (the same text).
    package static func of(_ left: String, _ right: String) -> Double {
        let left = left.foldingSpace.lowercased()
        let right = right.foldingSpace.lowercased()
        if left.isEmpty || right.isEmpty { return 0 }
        return max(sharedWords(left, right), closeness(left.prefix(80), right.prefix(80)))
    }

    /// Returns the Sørensen-Dice coefficient of the words.
    private static func sharedWords(_ left: String, _ right: String) -> Double {
        func words(_ text: String) -> Set<Substring> { Set(text.split { !$0.isLetter && !$0.isNumber }) }
        let left = words(left)
        let right = words(right)
        return left.isEmpty || right.isEmpty
            ? 0 : Double(2 * left.intersection(right).count) / Double(left.count + right.count)
    }

    /// Returns 1 minus the Levenshtein distance divided by the length of the longer text.
    private static func closeness(_ left: Substring, _ right: Substring) -> Double {
        1 - Double(editDistance(left, right)) / Double(max(left.count, right.count))
    }
}

extension [String] {
    /// Returns the texts that share the most letter pairs with the wanted one (Sørensen-Dice coefficient), best first.
    ///
    /// Texts that share no pair are left out.
    package func mostAlike(to wanted: String, atMost count: Int) -> [String] {
        func pairs(_ text: String) -> Set<String> {
            let letters = text.lowercased().filter { !$0.isWhitespace }
            return Set(zip(letters, letters.dropFirst()).map { String([$0, $1]) })
        }
        let goal = pairs(wanted)
        let scored = enumerated().map { index, text in
            let own = pairs(text)
            let shared = goal.intersection(own).count
            return (text, Double(2 * shared) / Double(Swift.max(goal.count + own.count, 1)), index)
        }
        return scored.filter { $0.1 > 0 }.sorted { $0.1 == $1.1 ? $0.2 < $1.2 : $0.1 > $1.1 }.prefix(count).map(\.0)
    }
}
