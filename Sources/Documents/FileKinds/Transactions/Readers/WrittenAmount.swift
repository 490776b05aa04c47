/// An amount as a person or a bank wrote it, taken apart: `-1.234,50 EUR`, `(12.50)`, `$12.50`, `12,50-`, `12.50 DR`.
struct WrittenAmount {
    let isNegative: Bool
    /// Digits and the marks between them, e.g. `1.234,50`.
    let digits: String
    /// The currency of ISO 4217 that stands beside the digits; empty without one, and for a sign of several currencies.
    let currency: String
    /// The sign of several currencies, such as `$`.
    let sharedSign: String

    /// Returns nil for a text with anything else in it, and for signs that contradict one another.
    init?(_ text: String) {
        // Spaces and apostrophes group, and a point behind a letter shortens a word, as in “kr.”.
        var plain = ""
        for character in text where !character.isWhitespace && character != "'" && character != "’" {
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
    }

    private static let signs: [Character: Bool] = ["-": true, "−": true, "–": true, "+": false]

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
