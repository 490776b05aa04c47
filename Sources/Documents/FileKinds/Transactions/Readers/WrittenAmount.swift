/// An amount as a person or a bank wrote it, taken apart: `-1.234,50 EUR`, `(12.50)`, `$12.50`, `12,50-`, `12.50 DR`.
struct WrittenAmount {
    let isNegative: Bool
    /// Digits and the marks between them, e.g. `1.234,50`.
    let digits: String
    /// The currency of ISO 4217 that stands beside the digits; empty without one, and for a sign of several currencies.
    let currency: String
    /// The sign of several currencies, such as `$`.
    let sharedSign: String
    /// True when a word for credit, such as CR, stands beside the digits.
    let isMarkedReceived: Bool
    /// True when a word for debit, such as DR, stands beside the digits.
    let isMarkedPaid: Bool

    /// False for zero.
    var hasValue: Bool { digits.contains { ("1"..."9").contains($0) } }

    /// Returns nil for a text with anything else in it, and for signs that contradict one another.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        if let (isNegative, digits) = Self.bare(text) {
            (self.isNegative, self.digits) = (isNegative, digits)
            (currency, sharedSign, isMarkedReceived, isMarkedPaid) = ("", "", false, false)
            return
        }
        // Spaces and apostrophes group, and a point behind a letter shortens a word, as in “kr.”.
        // Most amounts have neither separators nor other scripts.
        let isSimple = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "'") }
        let characters = isSimple ? Array(text) : text.compactMap(Self.plain)
        guard isSimple || Self.hasWholeGroups(characters) else { return nil }
        var plain = ""
        for character in characters where !Self.isSeparator(character) {
            if character == ".", plain.last?.isLetter == true { continue }
            plain.append(character)
        }
        // “12,-” and “12.–” have no cents, and no sign.
        for dashes in ["--", "-", "–", "—"] where plain.hasSuffix("," + dashes) || plain.hasSuffix("." + dashes) {
            plain.removeLast(dashes.count + 1)
            break
        }
        var rest = plain[...]
        var signs: [Bool] = []
        if rest.hasPrefix("("), rest.hasSuffix(")") {
            rest = rest.dropFirst().dropLast()
            signs.append(true)
        }
        var words: [String] = []
        var (isMarkedReceived, isMarkedPaid) = (false, false)
        func isPart(_ character: Character) -> Bool {
            character.isASCII && character.isNumber || character == "." || character == ","
        }
        // What is before and after the digits. Two signs of one kind, as in “--5”, are damage.
        for isBefore in [true, false] {
            var word = ""
            var hasSign = false
            while let character = isBefore ? rest.first : rest.last, !isPart(character) {
                if isBefore { rest.removeFirst() } else { rest.removeLast() }
                guard let isMinus = Self.signs[character] else {
                    word = isBefore ? word + String(character) : String(character) + word
                    guard word.count <= 4 else { return nil }
                    continue
                }
                guard !hasSign else { return nil }
                hasSign = true
                signs.append(isMinus)
            }
            if !word.isEmpty { words.append(word.uppercased()) }
        }
        var currency = ""
        var sharedSign = ""
        for word in words {
            if let isDebit = Self.sides[word] {
                signs.append(isDebit)
                (isMarkedReceived, isMarkedPaid) = (!isDebit, isDebit)
            } else if let known = Self.currencies[word] ?? (Statement.isCurrency(word) ? word : nil) {
                guard currency.isEmpty || currency == known else { return nil }
                currency = known
            } else if Self.shared.contains(word) {
                sharedSign = word
            } else {
                return nil
            }
        }
        guard !rest.isEmpty, rest.allSatisfy(isPart), rest.contains(where: \.isNumber),
            signs.allSatisfy({ $0 == signs[0] })
        else { return nil }
        (isNegative, digits) = (signs.first ?? false, String(rest))
        (self.currency, self.sharedSign) = (currency, sharedSign)
        (self.isMarkedReceived, self.isMarkedPaid) = (isMarkedReceived, isMarkedPaid)
    }

    /// The sign and the digits of a text with nothing else in it, as most amounts are.
    private static func bare(_ text: String) -> (isNegative: Bool, digits: String)? {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        var hasDigit = false
        for byte in rest {
            switch byte {
            case 0x30...0x39: hasDigit = true
            case UInt8(ascii: "."), UInt8(ascii: ","): break
            default: return nil
            }
        }
        return hasDigit ? (isNegative, String(Substring(rest))) : nil
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || character == "'" || character == "’"
    }

    /// Returns whether spaces and apostrophes make groups of three, as in `1'234'567.50`. In `12 50` and `12'50` they do not:
    /// they may be a decimal mark, or the field has two numbers.
    private static func hasWholeGroups(_ text: [Character]) -> Bool {
        var groups = [0]
        var (isSeparated, isBehindDigit, isPastMark) = (false, false, false)
        for character in text {
            if isSeparator(character) {
                isSeparated = true
                continue
            }
            let isDigit = character.isASCII && character.isNumber
            if isDigit, isSeparated, isBehindDigit {
                guard !isPastMark else { return false }
                groups.append(0)
            }
            if isDigit, !isPastMark { groups[groups.count - 1] += 1 }
            if character == "." || character == ",", groups[0] > 0 { isPastMark = true }
            (isSeparated, isBehindDigit) = (false, isDigit)
        }
        return groups.count == 1 || (1...3).contains(groups[0]) && groups.dropFirst().allSatisfy { $0 == 3 }
    }

    /// The character with a digit of another script as one of ASCII; nil for the marks of the direction of writing, which are
    /// not seen.
    private static func plain(_ character: Character) -> Character? {
        if character.isASCII { return character }
        let scalars = character.unicodeScalars
        if scalars.allSatisfy({ $0.properties.isBidiControl }) { return nil }
        if let first = scalars.first, scalars.count == 1, first.properties.numericType == .decimal,
            let digit = character.wholeNumberValue
        {
            return Character(String(digit))
        }
        return marks[character] ?? character
    }

    /// The decimal and the grouping mark of Arabic, and the wide forms of East Asia.
    private static let marks: [Character: Character] = [
        "٫": ".", "٬": ",", "．": ".", "，": ",", "＋": "+", "（": "(", "）": ")",
    ]

    private static let signs: [Character: Bool] = [
        "-": true, "−": true, "–": true, "‐": true, "‒": true, "－": true, "﹣": true, "+": false,
    ]

    /// Credit and debit in English and German.
    private static let sides = [
        "CR": false, "C": false, "H": false, "DR": true, "DB": true, "D": true, "S": true,
    ]

    private static let currencies = [
        "€": "EUR", "£": "GBP", "ZŁ": "PLN", "KČ": "CZK", "FT": "HUF", "₹": "INR", "₺": "TRY", "₽": "RUB", "₴": "UAH",
        "₪": "ILS", "₩": "KRW", "US$": "USD", "R$": "BRL", "A$": "AUD", "C$": "CAD",
    ]

    /// Signs that several currencies have.
    private static let shared: Set<String> = ["$", "¥", "KR", "FR", "RS", "₨", "LEI", "ZL"]
}
