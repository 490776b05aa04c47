import Encodings
import Foundation

/// The sentences of a page in all its languages.
package struct SentenceBook: Sendable {
    private let sentences: [Language: [String: String]]

    /// Reads the files of a page's module, one for each language: objects of JSON with a sentence for each key.
    ///
    /// - Parameter files: their bytes. A file that cannot be read counts as empty, so that its language is not offered.
    package init(_ files: [Language: [UInt8]]) {
        sentences = files.mapValues { bytes in
            guard let members = (try? JSONReader.read(Data(bytes)))?.objectValue else { return [:] }
            return members.compactMapValues(\.stringValue).filter { !$0.value.isEmpty }
        }
        offered = []
        offered = Language.allCases.filter { faults(of: $0).isEmpty }
    }

    private var english: [String: String] { sentences[.english] ?? [:] }

    /// Returns a language's sentences.
    package subscript(language: Language) -> Sentences {
        Sentences(language, sentences[language] ?? [:], else: english)
    }

    /// The languages that are whole: with a sentence for each English one. No other is offered.
    package private(set) var offered: [Language]

    /// Makes something in each language that is offered.
    package func inEachLanguage<Made>(_ make: (Sentences) -> Made) -> [Language: Made] {
        Dictionary(uniqueKeysWithValues: offered.map { ($0, make(self[$0])) })
    }

    /// The keys of the English sentences.
    package var keys: Set<String> { Set(english.keys) }

    /// Returns what a language lacks or has too much, each in a sentence for its translator; nothing for a whole one.
    package func faults(of language: Language) -> [String] {
        let own = sentences[language] ?? [:]
        let missing = keys.subtracting(own.keys).sorted().map { "\($0): the sentence is missing" }
        let surplus = Set(own.keys).subtracting(keys).sorted().map { "\($0): English has no sentence with this key" }
        let different = keys.intersection(own.keys).sorted().compactMap { key -> String? in
            let (wanted, found) = (Self.parts(of: english[key] ?? ""), Self.parts(of: own[key] ?? ""))
            return wanted == found
                ? nil : "\(key): it has \(found.joined(separator: " ")), and English \(wanted.joined(separator: " "))"
        }
        return missing + surplus + different
    }

    /// The parts of a sentence that are the same in all languages: its places for values and its markup, with the commands in
    /// it; in any order.
    private static func parts(of sentence: String) -> [String] {
        let commands = sentence.matches(of: /<code>[^<]*<\/code>/).map { String($0.0) }
        let parts = sentence.matches(of: /{{[^}]*}}|<[^>]*>/).map { String($0.0) }
        let quotes = sentence.filter { $0 == "\"" }.count
        return (commands + parts).sorted() + Array(repeating: "\"", count: quotes)
    }
}
