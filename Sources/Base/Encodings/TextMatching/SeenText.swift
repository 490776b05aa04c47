import Foundation

// Texts compared as they look: a person types “Konto-Auszug's”, and the page has a soft hyphen, a dash and a typographic
// apostrophe.

extension String {
    /// The text as a person sees it: compatibility characters as the ones they stand for (Unicode Standard Annex 15, NFKC),
    /// dashes, apostrophes and quotation marks of all kinds as those of a keyboard, nothing that is never displayed
    /// (Default_Ignorable_Code_Point), the digits of all scripts as 0 to 9, Arabic and Hebrew without their points, and no
    /// difference of case, with “ß” as “ss”.
    ///
    /// Only the characters that may look like others are looked up, each with the one before it, which an accent would change.
    /// Budget: the warm fetch (1.3 times bare libcurl).
    package var asSeen: String {
        withBytes { bytes in
            var seen = ""
            var place = 0
            while place < bytes.count {
                guard let odd = bytes.firstOdd(from: place) else {
                    return seen + bytes.lowered(place..<bytes.count)
                }
                let end = bytes.endOfOdd(from: odd)
                if let typed = bytes.typed(odd..<end) {
                    seen += bytes.lowered(place..<odd) + typed
                    place = end
                    continue
                }
                var begin = odd
                if begin > place {
                    repeat { begin -= 1 } while begin > place && bytes[begin] & 0xC0 == 0x80
                    seen += bytes.lowered(place..<begin)
                }
                place = end
                seen += String(decoding: bytes[begin..<place], as: UTF8.self).seenForm
            }
            return seen
        }
    }

    /// ``asSeen``, without the shortcut for most characters.
    var seenForm: String {
        var typed = String.UnicodeScalarView()
        for scalar in unicodeScalars { typed.append(scalar.onKeyboard) }
        var seen = String.UnicodeScalarView()
        for scalar in String(typed).precomposedStringWithCompatibilityMapping.unicodeScalars
        where !scalar.properties.isDefaultIgnorableCodePoint && !scalar.isOptionalPoint {
            for lowered in scalar.onKeyboard.properties.lowercaseMapping.unicodeScalars {
                switch lowered {
                case "ß": seen.append(contentsOf: "ss".unicodeScalars)
                case "ς": seen.append("σ")
                // The dot that lowering “İ” leaves behind.
                case "\u{307}" where seen.last == "i": break
                default: seen.append(lowered.digit ?? lowered)
                }
            }
        }
        return String(seen)
    }

    /// False if ``asSeen`` certainly differs in case alone.
    package var mayLookDifferent: Bool { withBytes { $0.mayLookDifferent } }
}

extension Unicode.Scalar {
    /// The digit of a keyboard that a digit of any script stands for; nil for all else.
    fileprivate var digit: Unicode.Scalar? {
        guard value >= 0x80, properties.numericType == .decimal, let number = properties.numericValue else {
            return nil
        }
        return Unicode.Scalar(UInt8(ascii: "0") + UInt8(number))
    }

    /// True for a vowel point of Arabic or Hebrew, which most texts leave out, and for the dash that stretches a word.
    fileprivate var isOptionalPoint: Bool {
        switch value {
        case 0x0640: true
        case 0x0591...0x05C7, 0x064B...0x0652, 0x0670: properties.generalCategory == .nonspacingMark
        default: false
        }
    }

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
    package var mayLookDifferent: Bool { firstOdd(from: 0) != nil }

    /// The place of the first character from a place on that may look different; nil for none.
    fileprivate func firstOdd(from place: Int) -> Int? {
        (place..<count).first { self[$0] >= 0xC2 && mayLookDifferent(at: $0) }
    }

    /// The end of the characters in a row that may look different, of which the first is at a place.
    fileprivate func endOfOdd(from place: Int) -> Int {
        var end = place
        while end < count, self[end] >= 0xC2, mayLookDifferent(at: end) {
            repeat { end += 1 } while end < count && self[end] & 0xC0 == 0x80
        }
        return end
    }

    /// Returns dashes and quotation marks as those of a keyboard; nil for a range with any other character. Most pages have no
    /// others that look like something else, and none of these joins with what stands beside it.
    fileprivate func typed(_ range: Range<Int>) -> String? {
        guard range.count.isMultiple(of: 3) else { return nil }
        var typed = ""
        for place in stride(from: range.lowerBound, to: range.upperBound, by: 3) {
            guard self[place] == 0xE2, self[place + 1] == 0x80 else { return nil }
            switch self[place + 2] {
            case 0x90...0x95: typed += "-"
            case 0x98...0x9B, 0xB2, 0xB9, 0xBA: typed += "'"
            case 0x9C...0x9F, 0xB3: typed += "\""
            default: return nil
            }
        }
        return typed
    }

    fileprivate func lowered(_ range: Range<Int>) -> String {
        String(decoding: self[range], as: UTF8.self).loweringCase
    }

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
        case 0xD6: next == 0x87 || next == 0x8A || next >= 0x91  // dashes of Armenian and Hebrew, points of Hebrew
        case 0xD7: next <= 0x87
        case 0xD8: next == 0x9C
        // What Arabic leaves out, its digits, and its letters that stand for two.
        case 0xD9:
            next == 0x80 || (0x8B...0x95).contains(next) || (0xA0...0xA9).contains(next) || next == 0xB0
                || (0xB5...0xB8).contains(next)
        case 0xDB: next >= 0xB0 && next <= 0xB9
        case 0xDF: next <= 0x89
        // Punctuation, superscripts and ligatures of letters; not the signs of currencies, nor blocks, shapes and weather.
        case 0xE2: (next != 0x82 || third < 0xA0 || third == 0xA8) && !(0x96...0x9B).contains(next)
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
