/// The code page of a text, judged by the letters that result: in the right page they are letters of one language, and
/// stand inside words; in a wrong one they are of none, or are signs inside words.
struct CodePageGuess {
    /// Nil when no page has characters for all bytes.
    private(set) var page: CodePage?
    /// True when every character is one that a language of the page has where it stands, and no other page of the same
    /// system gives another text of which that is true, too.
    private(set) var isCertain = false

    /// The most bytes that are judged.
    private static let sample = 4_000

    init(_ bytes: [UInt8]) {
        let places = Array(bytes.indices.lazy.filter { bytes[$0] >= 0x80 }.prefix(Self.sample))
        let countries = Self.countries(in: bytes)
        var best: (faults: Int, isNamed: Bool)?
        // The texts without a fault, in pages of the file's countries and in others.
        var texts: [Bool: Set<[Unicode.Scalar]>] = [:]
        for candidate in Self.candidates {
            guard let faults = Self.faults(bytes, places, candidate) else { continue }
            let upper = candidate.page.upperHalf
            let isNamed = !candidate.countries.isDisjoint(with: countries)
            if faults == 0, !candidate.isOfTerminals {
                texts[isNamed, default: []].insert(places.map { upper[Int(bytes[$0]) - 0x80] })
            }
            if let best, (faults, isNamed ? 0 : 1) >= (best.faults, best.isNamed ? 0 : 1) { continue }
            best = (faults, isNamed)
            page = candidate.page
        }
        let named = texts[true] ?? []
        isCertain = best?.faults == 0 && (named.isEmpty ? texts[false] ?? [] : named).count == 1
    }

    /// The signs of a text that are wrong in a page; nil when a byte has no character there.
    private static func faults(_ bytes: [UInt8], _ places: [Int], _ candidate: Candidate) -> Int? {
        let upper = candidate.page.upperHalf
        func scalar(_ byte: UInt8) -> Unicode.Scalar { byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80] }
        var letters: Set<Unicode.Scalar> = []
        var faults = 0
        for place in places {
            let seen = scalar(bytes[place])
            let before = place > 0 ? scalar(bytes[place - 1]) : " "
            let after = place + 1 < bytes.count ? scalar(bytes[place + 1]) : " "
            if seen == "\u{FFFD}" { return nil }
            if seen.properties.isAlphabetic {
                letters.insert(seen)
                // Words have one script.
                let neighbours = [before, after].filter(\.properties.isAlphabetic)
                if isLatin(seen) {
                    faults += neighbours.contains { !isLatin($0) } ? 2 : 0
                    faults += neighbours.count { $0.value >= 0x80 } > 1 ? 1 : 0
                } else {
                    faults += neighbours.contains(where: isLatin) ? 2 : 0
                }
                // Capitals begin words, or are among capitals.
                if seen.properties.isUppercase, before.properties.isLowercase { faults += 1 }
            } else {
                let isInside = before.properties.isAlphabetic && after.properties.isAlphabetic
                faults += isInside && seen != "’" ? 2 : signs.contains(seen) ? 0 : 1
            }
        }
        let foreign = candidate.languages.map { language in letters.count { !language.contains($0) } }.min()
        return faults + 2 * (foreign ?? letters.count)
    }

    /// The countries of the accounts and currencies in a text: where a file is from tells more than its letters.
    private static func countries(in bytes: [UInt8]) -> Set<String> {
        let words = bytes.prefix(1 << 16).split { !((0x41...0x5A).contains($0) || (0x30...0x39).contains($0)) }
        return Set(
            words.compactMap { word in
                guard word.count == 3 || word.count > 14 || word.count == 4 else { return nil }
                let isAccount = word.count > 3 && word.dropFirst(2).prefix(2).allSatisfy { (0x30...0x39).contains($0) }
                guard isAccount || word.count == 3, word.prefix(2).allSatisfy({ $0 > 0x40 }) else { return nil }
                // Of the three letters of most currencies two are the country's.
                return String(decoding: word.prefix(2), as: UTF8.self)
            })
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

    private struct Candidate {
        let page: CodePage
        let languages: [Set<Unicode.Scalar>]
        /// The countries, by the letters that begin their accounts and currencies, whose banks write the page.
        var countries: Set<String> = []
        /// A page of DOS, whose letters are where other pages have signs.
        var isOfTerminals = false
    }

    private static let west: Set<String> = [
        "AT", "BE", "BR", "CH", "DE", "DK", "ES", "FI", "FR", "GB", "IE", "IS", "IT", "LU", "NL", "NO", "PT", "SE",
        "US",
    ]
    private static let east: Set<String> = ["PL", "CZ", "SK", "HU", "RO", "HR", "SI", "BA"]
    private static let balticCountries: Set<String> = ["LT", "LV", "EE"]

    /// In the order in which pages of equal merit are taken.
    private static let candidates: [Candidate] = [
        Candidate(page: .windows1252, languages: western, countries: west),
        Candidate(page: .ibm850, languages: western, isOfTerminals: true),
        Candidate(page: .windows1250, languages: central, countries: east),
        Candidate(page: .latin2, languages: central, countries: east),
        Candidate(page: .ibm852, languages: central, countries: east, isOfTerminals: true),
        Candidate(page: .windows1251, languages: cyrillic, countries: ["RU", "UA", "BY", "BG", "RS"]),
        Candidate(page: .ibm866, languages: cyrillic, isOfTerminals: true),
        Candidate(page: .koi8r, languages: cyrillic, isOfTerminals: true),
        Candidate(page: .windows1257, languages: baltic, countries: balticCountries),
        Candidate(page: .windows1254, languages: turkish, countries: ["TR"]),
        Candidate(page: .windows1253, languages: greek, countries: ["GR"]),
        Candidate(page: .latin1, languages: western),
    ]
}
