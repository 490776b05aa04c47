/// The code page of a text, judged by the letters that result: in the right page they are letters of one language, and
/// stand inside words; in a wrong one they are of none, or are signs inside words.
struct CodePageGuess {
    /// Nil when no page has characters for all bytes.
    private(set) var page: CodePage?
    /// True when every character is one that a language of the page has where it stands.
    private(set) var isCertain = false

    /// The most bytes that are judged.
    private static let sample = 4_000

    init(_ bytes: [UInt8]) {
        let places = bytes.indices.lazy.filter { bytes[$0] >= 0x80 }.prefix(Self.sample)
        var best = Int.max
        for (page, languages) in Self.candidates {
            let upper = page.upperHalf
            func scalar(_ byte: UInt8) -> Unicode.Scalar {
                byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80]
            }
            var letters: Set<Unicode.Scalar> = []
            var faults = 0
            var isWhole = true
            for place in places {
                let seen = scalar(bytes[place])
                let before = place > 0 ? scalar(bytes[place - 1]) : " "
                let after = place + 1 < bytes.count ? scalar(bytes[place + 1]) : " "
                if seen == "\u{FFFD}" {
                    isWhole = false
                } else if seen.properties.isAlphabetic {
                    letters.insert(seen)
                    // Words have one script.
                    let neighbours = [before, after].filter(\.properties.isAlphabetic)
                    if Self.isLatin(seen) {
                        faults += neighbours.contains { !Self.isLatin($0) } ? 2 : 0
                        faults += neighbours.count { $0.value >= 0x80 } > 1 ? 1 : 0
                    } else {
                        faults += neighbours.contains(where: Self.isLatin) ? 2 : 0
                    }
                    // Capitals begin words, or are among capitals.
                    if seen.properties.isUppercase, before.properties.isLowercase { faults += 1 }
                } else {
                    let isInside = before.properties.isAlphabetic && after.properties.isAlphabetic
                    faults += isInside && seen != "’" ? 2 : Self.signs.contains(seen) ? 0 : 1
                }
            }
            guard isWhole else { continue }
            let foreign = languages.map { language in letters.count { !language.contains($0) } }.min() ?? letters.count
            let all = faults + 2 * foreign
            guard all < best else { continue }
            best = all
            self.page = page
            isCertain = all == 0
        }
    }

    private static func isLatin(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x250 || (0x1E00...0x1EFF).contains(scalar.value)
    }

    private static let signs = Set("€£§°©®™„“”‚‘’«»‹›–—…•·\u{A0}\u{AD}¿¡²³½".unicodeScalars)

    private static func language(_ letters: String) -> Set<Unicode.Scalar> {
        Set((letters + letters.uppercased() + "ß").unicodeScalars)
    }

    private static let western = [
        "äöüé", "àâæçéèêëîïôœùûüÿ", "áéíóúüñºª", "àèéìíîòóùú", "áàâãçéêíóôõúü", "åäöéæø", "áéëïóöüèêç",
        "áðéíóúýþæö",
    ].map(language)
    private static let central = [
        "ąćęłńóśźż", "áčďéěíňóřšťúůýžö", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čšžćđ", "ăâîșțşţ",
    ].map(language)
    private static let baltic = ["ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"].map(language)
    private static let turkish = ["çğıöşüâîİ"].map(language)
    private static let cyrillic = [
        language("абвгдежзийклмнопрстуфхцчшщъыьэюяё№"), language("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя№"),
    ]
    private static let greek = [language("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ")]

    /// In the order in which pages of equal merit are taken.
    private static let candidates: [(CodePage, [Set<Unicode.Scalar>])] = [
        (.windows1252, western), (.ibm850, western), (.windows1250, central), (.latin2, central), (.ibm852, central),
        (.windows1251, cyrillic), (.ibm866, cyrillic), (.koi8r, cyrillic), (.windows1257, baltic),
        (.windows1254, turkish), (.windows1253, greek), (.latin1, western),
    ]
}
