import Foundation

/// The sentences of a page in one language, by their keys.
///
/// A sentence can have places for values, written `{{name}}`. In a template these are the template's own tags.
package struct Sentences: Sendable {
    package let language: Language
    private let own: [String: String]
    private let english: [String: String]

    init(_ language: Language, _ own: [String: String], else english: [String: String]) {
        self.language = language
        self.own = own
        self.english = english
    }

    /// The sentence of a key; the English one where this language lacks it, and the key itself where both do, so that a gap
    /// shows and breaks nothing.
    package subscript(key: String) -> String { own[key] ?? english[key] ?? key }

    /// Returns whether the page has a sentence with this key.
    package func has(_ key: String) -> Bool { english[key] != nil }

    /// Returns a sentence with values in its places.
    package func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        let sentence = self[key]
        guard !values.isEmpty else { return sentence }
        // In one pass: a value that looks like a place stays a value.
        return sentence.replacing(/{{([a-z_]+)}}/) { match in values[String(match.1)] ?? String(match.0) }
    }

    /// Returns a text of the page with its marks filled in: `[[some.key]]` becomes the sentence, `[[language]]` this language's
    /// code, `[[locale]]` the code with its region, and `[[query]]` the query of addresses in this language.
    ///
    /// - Parameter escaping: makes a sentence part of the text, for example of a script's literal.
    package func filling(_ text: String, escaping: (String) -> String = { $0 }) -> String {
        text.replacing(Self.mark) { match in
            switch match.1 {
            case "language": language.rawValue
            case "locale": language.tag
            case "query": language.query
            default: escaping(self[String(match.1)])
            }
        }
    }

    /// Returns the keys of a text's marks.
    package static func keys(in text: String) -> Set<String> {
        Set(text.matches(of: mark).map { String($0.1) }).subtracting(["language", "locale", "query"])
    }

    private static var mark: Regex<(Substring, Substring)> { /\[\[([a-z][a-z_.\-]*)\]\]/ }

    /// Writes a sentence for a literal in double quotes, of JSON or of JavaScript (ECMA-404, section 9).
    package static func inLiteral(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    // MARK: Dates

    /// Returns a date in this language.
    ///
    /// - Parameter key: the key of the sentence that holds the pattern (Unicode TS 35, part 4, section 8).
    package func date(_ date: Date, as key: String, zone: TimeZone = .current) -> String {
        let formatter = DateFormatter()
        formatter.locale = language.locale
        formatter.timeZone = zone
        formatter.dateFormat = self[key]
        let text = formatter.string(from: date)
        // French writes the first of a month as an ordinal number.
        return language == .french && text.hasPrefix("1 ") ? "1er" + text.dropFirst() : text
    }
}
