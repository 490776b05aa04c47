/// Amounts with a decimal mark, and perhaps grouping, that the file does not state.
struct WrittenAmounts {
    /// An amount's text with its currency, of which the number of decimals is known; the currency may be empty.
    typealias Written = (text: String, currency: String)

    /// Nil when the file has both marks, and each amount shows which one it has.
    private let mark: Character?
    /// False when the person, or the format, said which mark is decimal.
    private let isGuessed: Bool
    private let currency: String

    /// Finds out the decimal mark from all amounts of a file in one currency.
    ///
    /// - Throws: as ``init(written:mark:allowsBoth:)``.
    init(
        _ texts: some Sequence<String>, mark: Character?, currency: String = "", allowsBoth: Bool = false
    ) throws(ReadingError) {
        try self.init(
            written: texts.lazy.map { (text: $0, currency: currency) }, mark: mark, currency: currency,
            allowsBoth: allowsBoth)
    }

    /// Finds out the decimal mark from all amounts of a file.
    ///
    /// - Parameters:
    ///   - currency: that of amounts whose currency is not given when they are read.
    ///   - allowsBoth: true for a format whose files may have both marks, as OFX's may.
    /// - Throws: `ambiguous` when both marks fit, as in a file whose only amount is 1.234.
    init(
        written texts: some Sequence<Written>, mark: Character?, currency: String = "", allowsBoth: Bool = false
    ) throws(ReadingError) {
        self.currency = currency
        isGuessed = mark == nil
        if let mark {
            self.mark = mark
            return
        }
        var found: Set<Character> = []
        var example: String?
        for (text, currency) in texts {
            // Some columns also hold words, which show no decimal mark.
            guard let written = WrittenAmount(text) else { continue }
            switch Self.evidence(in: written.digits, currency) {
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

    /// Reads one of the amounts.
    ///
    /// - Parameters:
    ///   - name: the value's name in the sentence of an error.
    ///   - currency: nil for the currency of all.
    /// - Throws: `amount` for a text that is not an amount of the file, and for one such as 1.234 EUR in a file whose other
    ///   amounts have two decimals behind this mark: it may be a thousand, and the currency has no thousandths.
    func amount(
        _ text: String, in currency: String? = nil, line: Int, name: String = "the amount"
    ) throws(ReadingError) -> Amount {
        guard let written = WrittenAmount(text), let amount = amount(of: written, in: currency) else {
            throw ReadingError(
                .amount, line: line,
                "\(name) is \(ReadingError.figure(text)); expected one such as -12\(mark ?? ".")50")
        }
        let currency = currency ?? self.currency
        if isGuessed, Self.isGroup(written.digits), let decimals = CurrencyDecimals.of(currency), decimals < 3,
            let mark = written.onlyMark, mark == self.mark
        {
            throw ReadingError(
                .amount, line: line,
                "\(name) is \(ReadingError.figure(text)), and \(currency) has \(decimals == 0 ? "no" : "\(decimals)") decimals; say with --decimal-mark which mark is decimal"
            )
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
    func amount(of written: WrittenAmount, in currency: String? = nil) -> Amount? {
        let own = Self.evidence(in: written.digits, currency ?? self.currency).flatMap(\.self)
        let mark = mark ?? own ?? "."
        let grouping: Character = mark == "." ? "," : "."
        guard Self.isGrouped(written.digits, by: grouping, mark: mark),
            let amount = Amount(noisy: Self.ungrouped(written.digits, grouping), decimalMark: mark)
        else { return nil }
        return written.isNegative ? -amount : amount
    }

    /// Returns whether amounts have no mark and are filled with zeros to one length, as where the last digits are cents.
    static func areFilled(_ texts: some Sequence<String>) -> Bool {
        var length: Int?
        var hasZeros = false
        for text in texts where !text.isEmpty {
            guard let digits = WrittenAmount(text)?.digits.utf8, !digits.contains(where: isMark),
                digits.count == length ?? digits.count
            else { return false }
            length = digits.count
            if digits.starts(with: "00".utf8) { hasZeros = true }
        }
        return hasZeros
    }

    private static func ungrouped(_ digits: String, _ grouping: Character) -> String {
        digits.utf8.contains(grouping.asciiValue ?? 0) ? digits.filter { $0 != grouping } : digits
    }

    /// Returns the decimal mark that the digits show, nil in it where both marks fit, and nil without any mark.
    private static func evidence(in digits: String, _ currency: String) -> Character?? {
        let bytes = digits.utf8
        guard let last = bytes.lastIndex(where: isMark) else { return .none }
        let (point, comma) = (UInt8(ascii: "."), UInt8(ascii: ","))
        let mark = Character(Unicode.Scalar(bytes[last]))
        let other: Character = bytes[last] == point ? "," : "."
        let before = bytes[..<last]
        if before.contains(bytes[last] == point ? comma : point) { return .some(mark) }
        // A mark that stands twice groups.
        if before.contains(bytes[last]) { return .some(other) }
        guard isGroup(digits) else { return .some(mark) }
        switch CurrencyDecimals.of(currency) {
        case 0: return .some(other)
        case let decimals? where decimals >= 3: return .some(mark)
        default: return .some(nil)
        }
    }

    /// Returns whether what follows the last mark could be a group: it has three digits, and the number before it one to three
    /// without a zero at its start.
    private static func isGroup(_ digits: String) -> Bool {
        let bytes = digits.utf8
        guard let last = bytes.lastIndex(where: isMark) else { return false }
        let before = bytes[..<last]
        return bytes.distance(from: last, to: bytes.endIndex) == 4 && (1...3).contains(before.count)
            && before.first != UInt8(ascii: "0")
    }

    private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") }

    /// Returns whether the integer's groups have three digits, or two before the last as in India.
    private static func isGrouped(_ text: String, by grouping: Character, mark: Character) -> Bool {
        // Most amounts have no groups.
        guard text.utf8.contains(grouping.asciiValue ?? 0) else { return true }
        let parts = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        let groups = (parts.first ?? "").split(separator: grouping, omittingEmptySubsequences: false).map(\.count)
        guard groups.count > 1 else { return parts.count < 2 || !parts[1].contains(grouping) }
        return groups.last == 3 && groups.dropFirst().dropLast().allSatisfy { (2...3).contains($0) }
            && (1...3).contains(groups[0]) && !parts.dropFirst().contains { $0.contains(grouping) }
    }
}

extension WrittenAmount {
    /// The mark among the digits; nil without any, and with several.
    fileprivate var onlyMark: Character? {
        let marks = digits.utf8.filter { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
        return marks.count == 1 ? Character(Unicode.Scalar(marks[0])) : nil
    }
}
