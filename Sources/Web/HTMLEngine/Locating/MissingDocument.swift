import Encodings
import Markup

// An entry that says that its month has no document, such as “April 2025 – not ready, see March 2025”: what there is to use
// after such words is another month's.

extension String {
    /// The words by which banks say that there is nothing, in English, German, French, Italian, Spanish, Dutch and Portuguese.
    private static let denials: Set<String> = [
        "not", "none", "unavailable", "pending", "nicht", "kein", "keine", "keinen", "pas", "aucun", "aucune", "nessun",
        "nessuna", "nessuno", "ningún", "ninguno", "ninguna", "geen", "niet", "não", "nenhum", "nenhuma",
    ]
    /// Those that count before another word only: “No. 4” is a number.
    private static let denialsOfWords: Set<String> = ["no", "non"]
    /// In bytes. A longer text is a paragraph about something else.
    private static let longestDenial = 200

    /// The text after the first word that says that there is nothing: “ready, see March 2025” of “April 2025 – not ready, see
    /// March 2025”. Nil for a text without such a word, and for a long one.
    var afterDenial: Substring? {
        guard utf8.count <= Self.longestDenial else { return nil }
        let words = split { !$0.isLetter && !$0.isNumber }
        for (place, word) in words.enumerated() {
            let next = words.dropFirst(place + 1).first?.first
            let isBeforeWord = next?.isLetter ?? false
            let said = word.lowercased()
            if Self.denials.contains(said) || isBeforeWord && Self.denialsOfWords.contains(said) {
                return self[word.endIndex...]
            }
        }
        return nil
    }

    /// Returns whether it names another period than the wanted one. A day beside a month does not count.
    fileprivate func namesAnother(than wanted: WrittenPeriod) -> Bool {
        writtenPeriods.contains { (wanted.isDay || !$0.isDay) && !$0.covers(wanted) }
    }

    /// Returns whether it says that there is nothing, and then names another period than the wanted one.
    func refersToAnother(than wanted: WrittenPeriod) -> Bool {
        afterDenial.map { String($0).namesAnother(than: wanted) } ?? false
    }

    /// Returns whether it begins with another day or month, says that there is nothing, and then refers to the wanted one, as
    /// “30.4.2025 – not ready, see 31.3.2025” does to 31.3.2025.
    fileprivate func refersOnly(to wanted: WrittenPeriod) -> Bool {
        guard let rest = afterDenial, let own = leadingPeriod, !own.covers(wanted) else { return false }
        return String(rest).writtenPeriods.contains { $0.covers(wanted) }
    }
}

extension Element {
    /// Returns whether its texts say that there is nothing, and then name another month than the wanted one, before there
    /// is something to use.
    func refersToAnother(than wanted: WrittenPeriod) -> Bool {
        var isMissing = false
        for text in textsBeforeControl {
            if isMissing && text.namesAnother(than: wanted) || text.refersToAnother(than: wanted) { return true }
            if text.refersOnly(to: wanted) { return true }
            // “April 2025: not yet” may be what the page said before the document came.
            if text.afterDenial != nil, !text.writtenPeriods.contains(where: { $0.covers(wanted) }) { isMissing = true }
        }
        return false
    }
}
