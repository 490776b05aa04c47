import Foundation

// Texts compared as they look: a person types “Konto-Auszug's”, and the page has a soft hyphen, a dash and a typographic
// apostrophe.

extension String {
    /// The text as a person sees it: compatibility characters as the ones they stand for (Unicode Standard Annex 15, NFKC),
    /// dashes, apostrophes and quotation marks of all kinds as those of a keyboard, nothing that is never displayed
    /// (Default_Ignorable_Code_Point), and no difference of case, with “ß” as “ss”.
    package var asSeen: String { mayLookDifferent ? seenForm : loweringCase }

    /// ``asSeen``, without the shortcut for most texts.
    var seenForm: String {
        var typed = String.UnicodeScalarView()
        for scalar in unicodeScalars { typed.append(scalar.onKeyboard) }
        var seen = String.UnicodeScalarView()
        for scalar in String(typed).precomposedStringWithCompatibilityMapping.unicodeScalars
        where !scalar.properties.isDefaultIgnorableCodePoint {
            for lowered in scalar.onKeyboard.properties.lowercaseMapping.unicodeScalars {
                switch lowered {
                case "ß": seen.append(contentsOf: "ss".unicodeScalars)
                case "ς": seen.append("σ")
                // The dot that lowering “İ” leaves behind.
                case "\u{307}" where seen.last == "i": break
                default: seen.append(lowered)
                }
            }
        }
        return String(seen)
    }

    /// False if ``asSeen`` certainly differs in case alone.
    package var mayLookDifferent: Bool { withBytes { $0.mayLookDifferent } }
}

extension Unicode.Scalar {
    /// The character of a keyboard that looks like this one.
    fileprivate var onKeyboard: Unicode.Scalar {
        guard value >= 0x80 else { return self }
        switch self {
        case "’", "‘", "‚", "‛", "′", "´", "ʼ", "ʹ", "‹", "›", "＇": return "'"
        case "“", "”", "„", "‟", "″", "«", "»", "〝", "〞", "〟", "＂": return "\""
        case "−": return "-"
        case "⁄": return "/"
        default: return properties.generalCategory == .dashPunctuation ? "-" : self
        }
    }
}

extension Bytes {
    package var mayLookDifferent: Bool { indices.contains { self[$0] >= 0xC2 && mayLookDifferent(at: $0) } }

    /// Returns false if the character that begins at an index certainly looks like no other. Most letters of Europe do.
    ///
    /// Budget: the warm fetch (1.3 times bare libcurl).
    package func mayLookDifferent(at index: Int) -> Bool {
        let next = index + 1 < count ? self[index + 1] : 0
        let third = index + 2 < count ? self[index + 2] : 0
        return switch self[index] {
        // Spacing accents, superscripts, fractions, guillemets; not the signs © ¬ ® ¿.
        case 0xC2: next >= 0xA8 && next < 0xBF && next != 0xA9 && next != 0xAC && next != 0xAE
        case 0xC3: next == 0x9F  // ß
        case 0xC4: (0xB0...0xB3).contains(next) || next == 0xBF  // İ ĳ Ŀ
        case 0xC5: next == 0x80 || next == 0x89 || next == 0xBF  // ŀ ŉ ſ
        // Digraphs, modifier letters and combining marks.
        case 0xC7, 0xCA...0xCD: true
        case 0xCE: next == 0x84 || next == 0x85 || next == 0x87
        case 0xCF: next == 0x82 || next >= 0x90  // ς and the variants of letters
        case 0xD6: next == 0x87 || next == 0x8A || next == 0xBE  // dashes of Armenian and Hebrew
        case 0xD8: next == 0x9C
        case 0xD9: (0xB5...0xB8).contains(next)
        // Punctuation, superscripts and ligatures of letters; not the signs of currencies.
        case 0xE2: next != 0x82 || third < 0xA0 || third == 0xA8
        // Not most kana and Chinese.
        case 0xE3:
            next == 0x80 || next == 0x82 && third >= 0x97 || next == 0x83 && third == 0xBF
                || (0x84...0x8F).contains(next)
        // South and East Asia, symbols and emoji.
        case 0xE0, 0xE1, 0xEA, 0xEF, 0xF0, 0xF3: true
        default: false
        }
    }
}
