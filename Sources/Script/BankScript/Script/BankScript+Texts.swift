import Encodings

/// A text that a script's author wrote.
package struct AuthoredText: Sendable, Hashable {
    /// The purpose of a text, as far as it decides which scalars its meaning can need.
    package enum Use: Sendable {
        /// A name, an address, a pattern or a setting.
        case plain
        /// Compared with what a page shows. Words of some languages have joiners, and long ones a soft hyphen.
        case shown
        /// Sent to the bank as a value, or signed for it. Line feeds and tabs can be a part of it.
        case sent
    }

    package let text: String
    package let use: Use
    /// The step that has it; nil for a text that stands before the steps.
    package let mark: Mark?

    /// The invisible scalars that the text's meaning does not need.
    package var needlesslyHidden: [Unicode.Scalar] {
        text.hiddenScalars.filter { scalar in
            switch (use, scalar) {
            case (.shown, "\u{AD}"), (.shown, "\u{200C}"), (.shown, "\u{200D}"): false
            case (.sent, "\t"), (.sent, "\n"), (.sent, "\r"), (.sent, "\u{200C}"), (.sent, "\u{200D}"): false
            default: true
            }
        }
    }
}

extension BankScript {
    /// Every text of the script: the strings of its JSON, and the names of its members.
    package var texts: [AuthoredText] {
        var texts: [AuthoredText] = []
        if case .object(var members) = json {
            for name in ["interruptions", "steps", "forEachAccount", "forEachPeriod", "finally"] { members[name] = nil }
            texts += Self.texts(in: .object(members), .plain, at: nil)
        }
        for interruption in interruptions {
            texts += Self.texts(in: interruption.condition.json, .plain, at: interruption.mark)
            if case .pass(let steps) = interruption.response { texts += Self.texts(of: steps) }
        }
        return texts + Self.texts(of: stepsForOnePeriod + finally)
    }

    private static func texts(of steps: [Step]) -> [AuthoredText] {
        steps.flatMap { step -> [AuthoredText] in
            let blocks = step.action.kind.blocks
            guard !blocks.isEmpty else { return texts(in: step.json, .plain, at: step.mark) }
            return texts(in: step.action.kind.json, .plain, at: step.mark) + blocks.flatMap { texts(of: $0.steps) }
        }
    }

    /// Returns the strings of a part's JSON, and the names of its members.
    static func texts(in json: JSONValue, _ use: AuthoredText.Use, at mark: Mark?) -> [AuthoredText] {
        switch json {
        case .string(let text): return [AuthoredText(text: text, use: use, mark: mark)]
        case .array(let items): return items.flatMap { texts(in: $0, use, at: mark) }
        case .object(let members):
            return members.sorted { $0.key < $1.key }.flatMap { name, member in
                [AuthoredText(text: name, use: .plain, mark: mark)]
                    + texts(in: member, Self.use(ofMember: name, within: use), at: mark)
            }
        case .number, .bool, .null: return []
        }
    }

    private static func use(ofMember name: String, within outer: AuthoredText.Use) -> AuthoredText.Use {
        switch name {
        // The names inside a body are the author's own.
        case _ where outer == .sent: .sent
        case "headers": .plain
        case "body", "form", "with", "template", "query", "basic": .sent
        case "field", "button", "link", "control", "row", "cell", "text", "heading", "containing", "exact", "regex",
            "says",
            "titled", "is", "equal", "choose", "account":
            .shown
        default: outer
        }
    }
}
