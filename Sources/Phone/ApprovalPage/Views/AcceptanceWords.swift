import BankScript
import Encodings
import Foundation

/// The question whether a script may run, in the language of the page. As at the terminal it tells the truth by itself, whatever
/// its author wrote above it.
enum AcceptanceWords {
    /// Returns the question in parts, each an origin or what stands between them: a mark of the sentence beside an origin must not
    /// look like a part of its address.
    static func parts(_ question: AcceptanceQuestion) -> [(text: String, isOrigin: Bool)] {
        var rest = self.question(question)[...]
        var parts: [(text: String, isOrigin: Bool)] = []
        // From the end, where the origins are: what stands before may look like one.
        for origin in question.origins.reversed() {
            guard let place = rest.range(of: origin.visible, options: .backwards) else { continue }
            parts.append((String(rest[place.upperBound...]), false))
            parts.append((String(rest[place]), true))
            rest = rest[..<place.lowerBound]
        }
        parts.append((String(rest), false))
        return parts.reversed()
    }

    static func question(_ question: AcceptanceQuestion) -> String {
        let sends = !question.sent.isEmpty
        let key =
            switch (question.source == nil, sends) {
            case (true, true): "add.ask-steps-send"
            case (true, false): "add.ask-steps-contact"
            case (false, true): "add.ask-source-send"
            case (false, false): "add.ask-source-contact"
            }
        return PageText.of(
            key,
            [
                "bank": question.bankID, "source": question.source ?? "", "steps": steps(question.steps),
                "sent": listed(question.sent.map(words)), "origins": origins(question.origins),
            ]
        ).visible
    }

    private static func steps(_ count: Int) -> String {
        PageText.of(count == 1 ? "add.one-step" : "add.steps", ["count": String(count)])
    }

    private static func origins(_ origins: [String]) -> String {
        guard !origins.isEmpty else { return PageText.of("add.no-origin") }
        let key = origins.count == 1 ? "add.one-origin" : "add.origins"
        return PageText.of(key, ["count": String(origins.count), "origins": origins.joined(separator: ", ")])
    }

    /// Names that an author made up are in quotes, so that they do not read as a part of the question.
    private static func words(_ sent: AcceptanceQuestion.Sent) -> String {
        switch sent {
        case .credential(let name):
            BankScript.usualCredentials.contains(name)
                ? RequestWords.credential(name) : PageText.of("asker.quoted", ["name": name.inLine(limit: 80)])
        case .codes: PageText.of("add.sent-codes")
        case .cookies: PageText.of("add.sent-cookies")
        case .captured(let count):
            PageText.of(count == 1 ? "add.sent-value" : "add.sent-values", ["count": String(count)])
        }
    }

    private static func listed(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return PageText.of("add.and", ["before": words.dropLast().joined(separator: ", "), "last": last])
    }
}
