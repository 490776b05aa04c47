extension Collection<String> where Self: BidirectionalCollection {
    /// Returns the texts as a list in a sentence, such as “a, b and c”; an empty text for none.
    package var listed: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}
