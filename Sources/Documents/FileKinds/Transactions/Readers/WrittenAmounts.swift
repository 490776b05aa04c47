/// Amounts with a decimal mark, and perhaps grouping, that the file does not state.
struct WrittenAmounts {
    /// Nil when the file has both marks, and each amount shows which one it has.
    private let mark: Character?
    private let hasThreeDecimals: Bool

    /// Finds out the decimal mark from all amounts of a file.
    ///
    /// - Parameters:
    ///   - currency: amounts of some currencies, such as KWD, have three decimals.
    ///   - allowsBoth: true for a format whose files may have both marks, as OFX's may.
    /// - Throws: `ambiguous` when both marks fit, as in a file whose only amount is 1.234.
    init(
        _ texts: some Sequence<String>, mark: Character?, currency: String = "", allowsBoth: Bool = false
    ) throws(ReadingError) {
        hasThreeDecimals = Self.currenciesOfThreeDecimals.contains(currency)
        if let mark {
            self.mark = mark
            return
        }
        var found: Set<Character> = []
        var example: String?
        for text in texts {
            // Some columns also hold words, which show no decimal mark.
            guard let written = WrittenAmount(text) else { continue }
            switch Self.evidence(in: written.digits, hasThreeDecimals) {
            case .none: break
            case .some(let mark?): found.insert(mark)
            case .some(nil): example = text
            }
        }
        if found.isEmpty || found.count > 1 && allowsBoth, let example {
            throw ReadingError(
                .ambiguous,
                "is the mark in \(ReadingError.figure(example)) decimal or does it group? Say it with --decimal-mark")
        }
        guard found.count <= 1 || allowsBoth else {
            throw ReadingError(
                .amount,
                "some amounts have a decimal comma and some a decimal point; check the columns, or say which mark is decimal with --decimal-mark"
            )
        }
        self.mark = found.count > 1 ? nil : found.first ?? "."
    }

    func amount(_ text: String, line: Int) throws(ReadingError) -> Amount {
        guard let written = WrittenAmount(text), let amount = amount(of: written) else {
            throw ReadingError(
                .amount, line: line,
                "the amount is \(ReadingError.figure(text)); expected one such as -12\(mark ?? ".")50")
        }
        return amount
    }

    /// Checks that a currency beside an amount is the one that the amount is read in.
    static func check(_ text: String, isIn currency: String, line: Int) throws(ReadingError) {
        guard let written = WrittenAmount(text), !written.currency.isEmpty, written.currency != currency else { return }
        throw ReadingError(
            .currency, line: line,
            "the amount is in \(written.currency), and the bookings are said to be in \(currency); give the right currency"
        )
    }

    /// Returns the amount; nil when its grouping is wrong, or its marks are not those of the file.
    func amount(of written: WrittenAmount) -> Amount? {
        let own = Self.evidence(in: written.digits, hasThreeDecimals).flatMap(\.self)
        let mark = mark ?? own ?? "."
        let grouping: Character = mark == "." ? "," : "."
        guard Self.isGrouped(written.digits, by: grouping, mark: mark),
            let amount = Amount(noisy: written.digits.filter { $0 != grouping }, decimalMark: mark)
        else { return nil }
        return written.isNegative ? -amount : amount
    }

    /// ISO 4217, currencies with three decimals.
    private static let currenciesOfThreeDecimals: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]

    /// Returns the decimal mark that the digits show, nil in it where both marks fit, and nil without any mark.
    private static func evidence(in digits: String, _ hasThreeDecimals: Bool) -> Character?? {
        guard let last = digits.lastIndex(where: { $0 == "." || $0 == "," }) else { return .none }
        let other: Character = digits[last] == "." ? "," : "."
        let before = digits[..<last]
        if before.contains(other) { return .some(digits[last]) }
        // A mark that stands twice groups.
        if before.contains(digits[last]) { return .some(other) }
        // A group has three digits, and the number before it one to three without a zero at its start.
        let isGroup =
            digits.distance(from: last, to: digits.endIndex) == 4 && (1...3).contains(before.count)
            && !before.hasPrefix("0")
        return isGroup && !hasThreeDecimals ? .some(nil) : .some(digits[last])
    }

    /// Returns whether the integer's groups have three digits, or two before the last as in India.
    private static func isGrouped(_ text: String, by grouping: Character, mark: Character) -> Bool {
        let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        let groups = (parts.first ?? "").split(separator: grouping, omittingEmptySubsequences: false).map(\.count)
        guard groups.count > 1 else { return parts.count < 2 || !parts[1].contains(grouping) }
        return groups.last == 3 && groups.dropFirst().dropLast().allSatisfy { (2...3).contains($0) }
            && (1...3).contains(groups[0]) && !parts.dropFirst().contains { $0.contains(grouping) }
    }
}
