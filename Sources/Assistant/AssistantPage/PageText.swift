import Foundation
import Languages

/// The sentences of the page, in the language of the person who is answered.
///
/// The language belongs to a request, and every sentence of the answer needs it: ``PageLanguage`` sets it for the task that
/// answers. Outside of one it is English.
enum PageText {
    @TaskLocal static var sentences = PageResources.sentences[.english]

    /// Returns the sentence of a key, with values in its places.
    static func of(_ key: String, _ values: [String: String] = [:]) -> String { sentences(key, values) }

    /// True when the page is not in English, so that a message of the API, which comes in English alone, has to be marked as such.
    static var isForeign: Bool { sentences.language != .english }

    /// Returns a message of the API, behind a sentence for it where the page is not in English.
    static func told(_ message: String, _ key: String) -> String {
        guard isForeign else { return message }
        return of("refusal.in-english", ["sentence": of(key), "message": message])
    }
}
