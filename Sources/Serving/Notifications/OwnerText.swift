import Clocks
import Foundation
import Languages
import Messages

/// The sentences of the messages to the owner, and the values in them, in the owner's language.
///
/// English writes dates as every other text of the program does (ISO 8601); the other languages in their own words. All are
/// in UTC, and say so where there is a time of day: the broker does not know the owner's zone.
package struct OwnerText: Sendable {
    /// The sentences, one file for each language. `docs/translating.md` is for their translators.
    package static let book = SentenceBook([
        .english: PackageResources.sentences_en_json, .german: PackageResources.sentences_de_json,
        .french: PackageResources.sentences_fr_json, .spanish: PackageResources.sentences_es_json,
    ])

    package static let english = OwnerText(.english)

    private let sentences: Sentences

    /// - Parameter language: one that is not whole counts as English.
    package init(_ language: Language) {
        sentences = Self.book[Self.book.offered.contains(language) ? language : .english]
    }

    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String { sentences(key, values) }

    // MARK: What a message is about

    /// Returns a subject in words, such as `2026-02`, or in German `Februar 2026`.
    func words(of subject: RequestSubject) -> String {
        switch subject {
        case .statement(let period): month(period)
        case .documents(let selection):
            list([
                range(of: selection), joined(selection.accounts.map(\.description)),
                selection.kinds == [.pdf] ? "" : joined(selection.kinds.map(\.rawValue)),
                selection.count == 1 ? self("words.one") : self("words.many", ["count": String(selection.count)]),
            ])
        }
    }

    /// Returns the documents of an offer in words.
    func words(of offer: DocumentOffer) -> String {
        list([
            range(from: offer.from, to: offer.to), joined(offer.accounts.map(\.description)),
            joined(offer.kinds.map(\.rawValue)),
        ])
    }

    private func range(of selection: DocumentSelection) -> String {
        guard let first = selection.periods.first, let last = selection.periods.last else { return "" }
        guard selection.hasDays else { return range(from: first, to: last) }
        return self(
            "words.days",
            [
                "first": day(selection.firstDay ?? 1, of: first),
                "last": day(selection.lastDay ?? last.length, of: last),
            ])
    }

    private func range(from first: MonthYear, to last: MonthYear) -> String {
        first == last ? month(first) : self("words.range", ["first": month(first), "last": month(last)])
    }

    private func joined(_ words: [String]) -> String { words.joined(separator: self("words.and")) }

    private func list(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: ", ") }

    /// Returns why a run failed: a sentence of the program's own, never the bank's or the phone's words.
    func reason(of code: ErrorCode?) -> String {
        let key = "reason.\(code?.rawValue.lowercased() ?? "")"
        return self(sentences.has(key) ? key : "reason.any")
    }

    // MARK: Dates

    private func month(_ period: MonthYear) -> String { date("\(period)-01", as: "date.month") }

    private func day(_ day: Int, of period: MonthYear) -> String { date(period.date(of: day), as: "date.day") }

    /// Returns the day of a moment in UTC, in which banks' interfaces count.
    func day(of moment: Date) -> String { sentences.date(moment, as: "date.day", zone: .gmt) }

    private func date(_ text: String, as key: String) -> String {
        guard let moment = Timestamp("\(text)T12:00:00Z") else { return text }
        return sentences.date(moment.date, as: key, zone: .gmt)
    }

    func time(_ moment: Timestamp) -> String {
        // A date is the nearest number to its millisecond, which may lie below it.
        sentences.date(moment.date.addingTimeInterval(0.0002), as: "date.time", zone: .gmt)
    }
}
