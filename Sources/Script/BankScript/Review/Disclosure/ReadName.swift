import Foundation

/// A name as a person reads it in passing: two names that look the same are equal.
///
/// Letters of other scripts, digits and pairs of letters count as the Latin letter that they look like: a part of the
/// confusables of Unicode Technical Standard 39, section 4. Case, accents, spaces and signs do not count.
package struct ReadName: Sendable, Hashable {
    private let skeleton: String

    package init(_ name: String) {
        // Capitals first: the small letter of one may look like another.
        let latin = Self.replacing(name.decomposedStringWithCompatibilityMapping, by: Self.foreign)
        let plain = latin.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased()
        let letters = Self.replacing(plain, by: Self.narrow).unicodeScalars.filter {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        skeleton = String(String.UnicodeScalarView(letters)).replacing("rn", with: "m").replacing("vv", with: "w")
    }

    /// True for a name without a letter or a digit, which looks like no other.
    package var isEmpty: Bool { skeleton.isEmpty }

    private static func replacing(_ text: String, by looks: [Unicode.Scalar: Unicode.Scalar]) -> String {
        var letters = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { letters.append(looks[scalar] ?? scalar) }
        return String(letters)
    }

    private static let foreign: [Unicode.Scalar: Unicode.Scalar] = [
        // Cyrillic
        "А": "a", "В": "b", "С": "c", "Е": "e", "Н": "h", "І": "i", "Ј": "j", "К": "k", "М": "m", "О": "o", "Р": "p",
        "Ѕ": "s", "Т": "t", "У": "y", "Х": "x", "а": "a", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j",
        "о": "o", "р": "p", "ѕ": "s", "у": "y", "х": "x",
        // Greek
        "Α": "a", "Β": "b", "Ε": "e", "Ζ": "z", "Η": "h", "Ι": "i", "Κ": "k", "Μ": "m", "Ν": "n", "Ο": "o", "Ρ": "p",
        "Τ": "t", "Υ": "y", "Χ": "x", "α": "a", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u",
        "χ": "x",
    ]

    /// Latin letters, digits and signs of one stroke or one ring.
    private static let narrow: [Unicode.Scalar: Unicode.Scalar] = [
        "l": "i", "ı": "i", "1": "i", "|": "i", "0": "o",
    ]
}
