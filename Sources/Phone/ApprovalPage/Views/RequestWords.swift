import DeviceTrust
import Messages
import Phone
import PhoneStore

/// The words about a request that a person decides on: who asks, what an approval needs, and what leaves for the bank.
enum RequestWords {
    /// Returns the sentence that says who asks.
    static func asking(_ request: PendingRequest) -> String {
        switch (request.isAskedHere, request.client) {
        case (true, .owner): PageText.of("asker.you-ask")
        case (true, let agent): PageText.of("asker.you-ask-after", ["agent": words(agent)])
        case (false, .owner): PageText.of("asker.other-device-asks")
        case (false, let agent?): PageText.of("asker.agent-asks", ["name": agent.description])
        case (false, nil): PageText.of("asker.unnamed-asks")
        }
    }

    /// Returns the party that asks.
    static func asker(_ request: PendingRequest) -> String {
        switch (request.isAskedHere, request.client) {
        case (true, .owner): PageText.of("asker.you")
        case (true, let agent): PageText.of("asker.you-after", ["agent": words(agent)])
        case (false, .owner): PageText.of("asker.other-device")
        case (false, let agent): words(agent)
        }
    }

    /// Returns the other agents that asked; nil without any.
    static func others(_ request: PendingRequest) -> String? {
        guard !request.alsoAskedBy.isEmpty else { return nil }
        let names = request.alsoAskedBy.map { agent in
            agent == .standard
                ? words(nil)
                : agent == .owner
                    ? PageText.of("asker.you") : PageText.of("asker.quoted", ["name": agent.description])
        }
        return PageText.of("asker.others", ["names": names.joined(separator: ", ")])
    }

    private static func words(_ agent: AgentName?) -> String {
        agent.map { PageText.of("asker.agent", ["name": $0.description]) } ?? PageText.of("asker.unnamed")
    }

    /// Returns the requirements of an approval; nil if it needs nothing special.
    static func needed(_ requirement: Requirement) -> String? {
        var needs = requirement.factors.sorted()
        if requirement.devices > 1 { needs.removeAll { $0 == .deviceSignature } }
        var words = needs.map(words)
        if requirement.devices > 1 {
            words.append(PageText.of("factor.devices", ["count": String(requirement.devices)]))
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private static func words(_ factor: ApprovalFactor) -> String {
        switch factor {
        case .passphrase: PageText.of("factor.passphrase")
        case .passkey: PageText.of("factor.passkey")
        case .deviceSignature: PageText.of("factor.device")
        }
    }

    // MARK: Outflows

    /// Returns what leaves for one origin in the page's language.
    ///
    /// - Parameter line: of ``PendingRequest/outflows``: the origin, a colon, and the values in English. A value of another
    ///   form than a script's disclosure has stays as it is.
    static func outflow(_ line: String) -> String {
        guard PageText.isForeign, let colon = line.firstRange(of: ": ") else { return line }
        let items = line[colon.upperBound...].components(separatedBy: ", ").map(item)
        return line[..<colon.upperBound] + items.joined(separator: ", ")
    }

    /// Returns whether the page has words for a value that leaves.
    static func knows(_ item: String) -> Bool { form(of: item) != nil }

    private static func item(_ item: String) -> String {
        guard let (key, name) = form(of: item) else { return item }
        return PageText.of(key, ["name": credential(name)])
    }

    /// The forms of ``Outflow/item``, with the keys of their sentences; the longer of two beginnings first.
    private static let forms = [
        ("characters of the ", "outflow.characters"), ("the captured ", "outflow.captured"),
        ("the ", "outflow.named"), ("your ", "outflow.yours"),
    ]

    private static func form(of item: String) -> (key: String, name: String)? {
        switch item {
        case "a one-time code": return ("outflow.code", "")
        case "your choice": return ("outflow.choice", "")
        case "the cookies of this device": return ("outflow.cookies", "")
        default:
            guard let (beginning, key) = forms.first(where: { item.hasPrefix($0.0) }) else { return nil }
            return (key, String(item.dropFirst(beginning.count)))
        }
    }

    /// Returns a credential's name: a script's author chose it, and the usual ones have words in every language.
    static func credential(_ name: String) -> String {
        PageText.sentences.has("credential.\(name)") ? PageText.of("credential.\(name)") : name
    }

    /// Returns the label of the field that takes a credential.
    static func label(of name: String) -> String {
        let words = credential(name)
        return words == name
            ? name.replacing("_", with: " ").capitalized : words.prefix(1).uppercased() + words.dropFirst()
    }
}
