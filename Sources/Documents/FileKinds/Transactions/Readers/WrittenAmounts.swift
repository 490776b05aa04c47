/// Amounts with a decimal mark, and perhaps grouping, that the file does not state.
struct WrittenAmounts {
    private let mark: Character

    /// Finds out the decimal mark from all amounts of a file.
    ///
    /// - Throws: `ambiguous` when both marks fit, as in a file whose only amount is 1.234.
    init(_ texts: some Collection<String>, mark: Character?) throws(ReadingError) {
        if let mark {
            self.mark = mark
            return
        }
        var found: Set<Character> = []
        var example: String?
        for text in texts {
            guard let last = text.lastIndex(where: { $0 == "." || $0 == "," }) else { continue }
            let other: Character = text[last] == "." ? "," : "."
            let decimals = text[text.index(after: last)...].count { $0.isNumber }
            if text.contains(other) {
                found.insert(text[last])
            } else if text[..<last].contains(text[last]) {
                // A mark that stands twice groups.
                found.insert(other)
            } else if decimals != 3 {
                found.insert(text[last])
            } else {
                example = text
            }
        }
        if found.isEmpty, let example {
            throw ReadingError(
                .ambiguous,
                "is the mark in \(ReadingError.quoted(example)) decimal or does it group? Say it with --decimal-mark")
        }
        guard found.count <= 1 else {
            throw ReadingError(.amount, "some amounts have a decimal comma and some a decimal point; check the columns")
        }
        self.mark = found.first ?? "."
    }

    func amount(_ text: String, line: Int) throws(ReadingError) -> Amount {
        let grouping: Character = mark == "." ? "," : "."
        let plain = text.filter { $0 != grouping && $0 != "'" && $0 != "’" && !$0.isWhitespace }
            .replacing("−", with: "-")
        // “12,50-” is how some German systems write a debit.
        let signed = plain.hasSuffix("-") && !plain.hasPrefix("-") ? "-" + plain.dropLast() : plain
        guard isGrouped(text, by: grouping), let amount = Amount(signed, decimalMark: mark) else {
            throw ReadingError(
                .amount, line: line, "the amount is \(ReadingError.quoted(text)); expected one such as -12\(mark)50")
        }
        return amount
    }

    /// Returns whether the integer's groups have three digits, or two before the last as in India.
    private func isGrouped(_ text: String, by grouping: Character) -> Bool {
        let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        let groups = (parts.first ?? "").split(separator: grouping, omittingEmptySubsequences: false)
            .map { $0.count { $0.isNumber } }
        guard groups.count > 1 else { return parts.count < 2 || !parts[1].contains(grouping) }
        return groups.last == 3 && groups.dropFirst().dropLast().allSatisfy { (2...3).contains($0) }
            && (1...3).contains(groups[0]) && !parts.dropFirst().contains { $0.contains(grouping) }
    }
}
