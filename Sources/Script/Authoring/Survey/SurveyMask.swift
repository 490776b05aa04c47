import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Secrets

/// Removes personal data from a survey's texts: every digit, every word that occurs in the pages' data, and, in texts that
/// may name a person, every word that is not in the vocabulary of banking.
struct SurveyMask: Sendable {
    /// Stands for removed words.
    static let gap = "…"

    /// The words in cells, options and values, and in the texts of JSON answers.
    private let personal: Set<String>

    init(_ documents: [Document], answers: [JSONValue] = []) {
        var words: Set<String> = []
        for document in documents {
            for element in document.root?.descendants.filter({ Self.isData($0) }) ?? [] {
                words.formUnion(Self.words(in: element.text))
                if let value = element[attribute: "value"] { words.formUnion(Self.words(in: value)) }
            }
        }
        for answer in answers { words.formUnion(Self.words(in: answer)) }
        personal = words.filter { !BankingVocabulary.contains($0) }
    }

    private static func isData(_ element: Element) -> Bool {
        switch element.name {
        case "td": !element.descendants.contains { $0.name == "table" || $0.name == "form" }
        case "option", "dd", "output", "address": true
        case "input": !["submit", "button", "reset", "image"].contains(element[attribute: "type"]?.lowercased() ?? "")
        default: false
        }
    }

    /// Returns the words of the texts that are neither an address nor an identifier: these have the bank's own names.
    private static func words(in answer: JSONValue) -> Set<String> {
        switch answer {
        case .string(let text):
            text.contains("/") || text.contains(where: \.isNumber) && !text.contains(" ") ? [] : Set(words(in: text))
        case .array(let items): items.reduce(into: []) { $0.formUnion(words(in: $1)) }
        case .object(let members): members.values.reduce(into: []) { $0.formUnion(words(in: $1)) }
        case .null, .bool, .number: []
        }
    }

    private static func words(in text: String) -> [String] {
        text.lowercased().split { !$0.isLetter }.map(String.init).filter { $0.count > 1 }
    }

    /// Masks a text of the page's author: a label, a button, the heading of a column.
    func label(_ text: String) -> String { masked(text) { !personal.contains($0) } }

    /// Masks a text that may name a person or an account: a heading, a link, a title, a caption.
    func words(_ text: String) -> String { masked(text) { BankingVocabulary.contains($0) } }

    private func masked(_ text: String, _ isKept: (String) -> Bool) -> String {
        var pieces: [String] = []
        for token in Redactor.redact(text).split(whereSeparator: \.isWhitespace).prefix(40) {
            let core = token.drop { !$0.isLetter && !$0.isNumber }
            let word = String(core.reversed().drop { !$0.isLetter && !$0.isNumber }.reversed())
            if word.isEmpty {
                if !token.contains(where: { "•".contains($0) }) { pieces.append(String(token)) }
                continue
            }
            // A single letter is an article (l'année) or an ending (bank's).
            let parts = word.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init).filter {
                $0.count > 1
            }
            let isShown =
                !word.contains(where: \.isNumber)
                && (isKept(word.lowercased()) || parts.allSatisfy(isKept))
                && parts.allSatisfy { !personal.contains($0) }
            pieces.append(isShown ? String(token) : Self.gap)
        }
        // One gap for any number of words, because their number is a hint too.
        var result: [String] = []
        for piece in pieces where piece != Self.gap || result.last != Self.gap { result.append(piece) }
        return result.joined(separator: " ")
    }

    /// Masks an address: keeps path segments that are words, and the names of a query. Segments that may be an account or a
    /// session become gaps.
    func path(_ url: String) -> String {
        let halves = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = halves[0].firstRange(of: "://").map { halves[0][$0.upperBound...].drop { $0 != "/" } } ?? halves[0]
        let segments = rest.split(separator: "/").map { segment -> String in
            let plain = segment.removingPercentEncoding ?? String(segment)
            if RecordedMonth(in: plain, locale: "en") != nil, plain.allSatisfy({ $0.isNumber || "-_.".contains($0) }) {
                return "{month}"
            }
            let parts = plain.lowercased().split { !$0.isLetter }.map(String.init)
            let isWord = plain.allSatisfy { $0.isASCII && ($0.isLetter || "-_.~".contains($0)) } && plain.count <= 40
            return isWord && parts.allSatisfy { !personal.contains($0) } ? plain : Self.gap
        }
        let names = halves.count > 1 ? FormFields(urlEncoded: String(halves[1])).names.map(technical) : []
        return "/" + segments.joined(separator: "/") + (names.isEmpty ? "" : "?" + names.joined(separator: "&"))
    }

    /// Masks a name from the page's source, e.g. of a field or a JSON member.
    func technical(_ name: String) -> String {
        let parts = name.lowercased().split { !$0.isLetter }.map(String.init)
        let isPersonal = parts.contains { personal.contains($0) } || name.count(where: \.isNumber) > 2
        return isPersonal || name.count > 60 || name.contains(where: \.isWhitespace) ? Self.gap : name
    }
}

/// The shape of a value, without the value.
enum ValueShape: String {
    case monthAndYear = "month-and-year"
    case date, year, amount, number, text, empty

    init(_ text: String, locale: String) {
        let text = text.trimmingWhitespace
        if text.isEmpty {
            self = .empty
        } else if let period = RecordedMonth(in: text, locale: locale), let naming = period.naming(in: text),
            naming.count + 4 >= text.count
        {
            self = .monthAndYear
        } else if text.wholeMatch(of: /(?:19|20)\d\d/) != nil {
            self = .year
        } else if text.wholeMatch(of: /\d{1,4}[.\/-]\d{1,2}[.\/-]\d{1,4}/) != nil {
            self = .date
        } else if text.contains(/[$£€¥]|\b[A-Z]{3}\b/), text.contains(where: \.isNumber) {
            self = .amount
        } else if text.contains(where: \.isNumber), !text.contains(where: \.isLetter) {
            self = .number
        } else {
            self = .text
        }
    }
}
