/// The parts of a spreadsheet's number format that change how a number is understood.
///
/// Source: ECMA-376, part 1, section 18.8.30 (numFmts) and 18.8.31 (numFmt).
struct NumberFormat {
    let showsDate: Bool
    /// The currency beside the number, as the code `USD` or as a sign; empty without one.
    let currency: String

    static let plain = NumberFormat(showsDate: false, currency: "")

    /// The formats 14 to 22, 27 to 36 and 45 to 58 are dates and times in all languages.
    init(number: Int) {
        self.init(
            showsDate: (14...22).contains(number) || (27...36).contains(number) || (45...58).contains(number),
            currency: "")
    }

    /// Reads a code such as `[$€-407]#,##0.00`, `#,##0.00\ "USD"` or `[Red]dd.mm.yyyy`.
    init(code: String) {
        var literals = ""
        var hasDateLetter = false
        var rest = code[...]
        while let character = rest.popFirst() {
            switch character {
            // The next character is written as it is, left out as wide, or repeated.
            case "\\", "_", "*":
                let next = rest.popFirst()
                if character == "\\", let next { literals.append(next) }
            case "\"":
                literals += rest.prefix { $0 != "\"" }
                rest = rest.drop { $0 != "\"" }.dropFirst()
            case "[":
                let inside = rest.prefix { $0 != "]" }
                // `[$€-407]` is a sign and a language; the others are colours, conditions and languages alone.
                if inside.hasPrefix("$") { literals += inside.dropFirst().prefix { $0 != "-" } }
                rest = rest.drop { $0 != "]" }.dropFirst()
            case "d", "D", "y", "Y": hasDateLetter = true
            // The other sections are of negative numbers, of zero and of texts.
            case ";": rest = ""
            case "0", "#", "?", ".", ",", "%", "+", "-", "/": literals += " "
            default: literals.append(character)
            }
        }
        let words = literals.split { $0 == " " || $0 == "\u{A0}" || $0 == "(" || $0 == ")" }.map(String.init)
        let seen = words.first { word in
            guard let amount = WrittenAmount("1 \(word)") else { return false }
            // Three letters may be a word.
            return CurrencyDecimals.of(amount.currency) != nil || !amount.sharedSign.isEmpty
        }
        self.init(showsDate: hasDateLetter, currency: hasDateLetter ? "" : seen ?? "")
    }

    private init(showsDate: Bool, currency: String) {
        (self.showsDate, self.currency) = (showsDate, currency)
    }
}
