/// The pattern of the filter `date`: `dd.MM.yyyy`, by Unicode TR 35, part 4.
///
/// Only letters for a day, its month and its year may stand in it. The formatter takes every letter for a field, so that `YYYY`
/// is the year of the week, `DD` the day of the year and `mm` the minute: a script would ask its bank for another day, and
/// nothing would fail.
struct DatePattern {
    let text: String

    /// Letters for the era, the year, the quarter, the month, the day, and the day of the week.
    private static let letters: Set<Character> = ["G", "y", "u", "Q", "q", "M", "L", "d", "E", "c"]

    /// The pattern's mistake; nil where it has none.
    var fault: String? {
        guard !text.isEmpty else { return "date needs a pattern, such as “{{ first_day | date: dd.MM.yyyy }}”" }
        guard let letter = strangeLetter else {
            return isQuoteOpen ? "“'” begins a text in “\(text)” that has no end" : nil
        }
        let meaning: String? =
            switch letter {
            case "Y": "the year of the week: another year around New Year"
            case "D": "the day of the year"
            case "m": "the minute"
            case "h", "H", "k", "K": "the hour, which a day has not: write it as a text, as in yyyy-MM-dd'T'00:00:00"
            case "s", "S": "the second"
            default: nil
            }
        let words = meaning.map { "stands for \($0)" } ?? "stands for no part of a date"
        return "“\(letter)” in the pattern “\(text)” \(words)"
    }

    /// The pattern that was probably meant: other languages and programs have other letters. Nil where nothing can be said.
    var suggestion: String? {
        guard !text.isEmpty, !text.contains("'"), strangeLetter != nil else { return nil }
        var meant = ""
        var rest = text[...]
        while let first = rest.first {
            let run = rest.prefix { $0 == first }
            rest = rest.dropFirst(run.count)
            if first == "%", run.count == 1, let field = rest.first {
                guard let written = Self.written(field) else { return nil }
                meant += written
                rest.removeFirst()
            } else if let letter = Self.letter(first, count: run.count) {
                meant += String(repeating: letter, count: run.count)
            } else {
                meant += run
            }
        }
        return DatePattern(text: meant).fault == nil ? meant : nil
    }

    /// The first letter outside of quotation marks that is not for a day.
    private var strangeLetter: Character? {
        var isQuoted = false
        for character in text {
            if character == "'" { isQuoted.toggle() }
            if !isQuoted, character.isASCII, character.isLetter, !Self.letters.contains(character) { return character }
        }
        return nil
    }

    private var isQuoteOpen: Bool { text.count { $0 == "'" } % 2 == 1 }

    /// Returns the letter for what another one is taken for: German `TT.MM.JJJJ`, French `JJ/MM/AAAA`.
    private static func letter(_ letter: Character, count: Int) -> Character? {
        switch letter {
        case "Y", "A", "a": "y"
        case "D", "T", "t", "g": "d"
        case "J", "j": count > 2 ? "y" : "d"
        case "m": "M"
        default: nil
        }
    }

    /// Returns the letters for a field of `strftime`, as in `%d.%m.%Y`.
    private static func written(_ field: Character) -> String? {
        switch field {
        case "d": "dd"
        case "e": "d"
        case "m": "MM"
        case "y": "yy"
        case "Y": "yyyy"
        case "b": "MMM"
        case "B": "MMMM"
        default: nil
        }
    }
}
