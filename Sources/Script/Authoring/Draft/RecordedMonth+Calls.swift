import BankScript
import Encodings
import Foundation
import HTMLEngine

extension RecordedMonth {
    /// Finds the month of a document in the item of a list that the later requests mention.
    init?(of document: Exchange, after calls: [RecordedCall], locale: String) {
        let later =
            ([document.url] + calls.map(\.exchange.url)).joined(separator: " ")
            + calls.compactMap { $0.exchange.requestBody.map { String(decoding: $0, as: UTF8.self) } }.joined()
        for call in calls {
            for member in call.answer?.texts ?? [] {
                // A year or a word says nothing about which item a later request means.
                guard let item = member.items.last, member.text.count >= 4, member.text.isIdentifier,
                    !member.isNumber || member.text.count > 4, later.contains(member.text), let answer = call.answer
                else { continue }
                let siblings = answer.texts.filter { $0.path.hasPrefix(item + ".") }
                let month = siblings.first { $0.isNumber && MonthNames.isLabel($0.name) }.flatMap { Int($0.text) }
                let year = siblings.first { $0.isNumber && (1990...2100).contains(Int($0.text) ?? 0) }
                    .flatMap { Int($0.text) }
                if let month, let year, 1...12 ~= month {
                    if let found = RecordedMonth(in: "\(year)-\(month < 10 ? "0" : "")\(month)", locale: locale) {
                        self = found
                        return
                    }
                }
                for sibling in siblings {
                    if let found = RecordedMonth(in: sibling.text, locale: locale) {
                        self = found
                        return
                    }
                }
            }
        }
        guard
            let found = RecordedMonth(in: document.url, locale: locale)
                ?? calls.lazy.reversed().compactMap({ Self.asked(by: $0, locale: locale) }).first
        else { return nil }
        self = found
    }

    /// Returns the month that a call asks for, in its address or its body.
    private static func asked(by call: RecordedCall, locale: String) -> RecordedMonth? {
        // A longer text is a time, such as that of the call itself.
        let texts = (call.sent?.texts.map(\.text) ?? call.exchange.formSent?.map(\.value) ?? []).filter {
            $0.count <= 14
        }
        return RecordedMonth(in: call.exchange.url, locale: locale)
            ?? texts.lazy.compactMap { RecordedMonth(in: $0, locale: locale) }.first
    }
}

extension String {
    /// True for a value that is specific enough to be traced by it alone.
    var isIdentifier: Bool { contains(where: \.isNumber) && !contains(where: \.isWhitespace) }
}
