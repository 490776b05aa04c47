import Foundation

/// A language that a page can be written in.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"

    /// The language's name in itself, as a person looks for it in a list.
    package var name: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .french: "Français"
        case .spanish: "Español"
        }
    }

    /// The language with the region whose customs dates and amounts follow (BCP 47).
    package var tag: String {
        switch self {
        case .english: "en-GB"
        case .german: "de-DE"
        case .french: "fr-FR"
        case .spanish: "es-ES"
        }
    }

    package var locale: Locale { Locale(identifier: tag.replacing("-", with: "_")) }

    /// The query of an address whose content is in this language; empty for English, in which such a content is without one.
    package var query: String { self == .english ? "" : "?\(rawValue)" }

    /// Returns the language that a browser likes best among those that a page has.
    ///
    /// - Parameter header: the value of `Accept-Language` (RFC 9110, section 12.5.4). The ranges are compared by their
    ///   language alone, so that `de-CH` finds German (RFC 4647, section 3.4, lookup).
    /// - Returns: English when the header names none of them.
    package static func wanted(by header: String?, among offered: [Language]) -> Language {
        let ranges = (header ?? "").prefix(1000).split(separator: ",").enumerated().compactMap { place, text in
            Range(text, at: place)
        }
        let liked = ranges.filter { $0.weight > 0 }.sorted { ($1.weight, $0.place) < ($0.weight, $1.place) }
        for range in liked {
            if let language = offered.first(where: { $0.rawValue == range.language }) { return language }
            if range.language == "*" { return .english }
        }
        return .english
    }

    /// Returns the language of a machine.
    ///
    /// - Parameter environment: the first of these variables that is set counts (POSIX.1-2017, section 8.2).
    /// - Returns: English when none names a language that the page has.
    package static func system(_ environment: [String: String], among offered: [Language]) -> Language {
        let value = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return offered.first { $0.rawValue == value?.prefix { $0.isLetter } ?? "" } ?? .english
    }

    /// One language of the header, such as `fr-CH;q=0.8`.
    private struct Range {
        let language: String
        let weight: Double
        let place: Int

        init?(_ text: Substring, at place: Int) {
            let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard let language = parts.first?.split(separator: "-").first else { return nil }
            self.language = String(language)
            self.place = place
            guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else {
                self.weight = 1
                return
            }
            guard let value = Double(weight.dropFirst(2)), (0...1).contains(value) else { return nil }
            self.weight = value
        }
    }
}
