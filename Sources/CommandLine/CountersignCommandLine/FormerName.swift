/// The names that commands had before they came into groups. They work for one more release, and no help page shows them.
struct FormerName {
    /// The words after the program's name, as they were.
    let words: [String]
    /// The words that stand in their place.
    let present: [String]

    private init(_ words: String, _ present: String) {
        self.words = words.split(separator: " ").map(String.init)
        self.present = present.split(separator: " ").map(String.init)
    }

    /// Longer names come before the groups that they were in.
    static let all = [
        FormerName("agents", "agent"), FormerName("mcp", "agent mcp"), FormerName("offers make", "agent offers add"),
        FormerName("offers", "agent offers"), FormerName("receipt", "agent receipt"),
        FormerName("policy", "broker policy"), FormerName("broker reseal", "broker rotate"),
        FormerName("mockbank", "script mockbank"), FormerName("plugins", "script plugins"),
        FormerName("phone approve", "approve"), FormerName("phone deny", "deny"),
        FormerName("phone banks add", "banks add"),
        FormerName("phone banks forget-device", "phone banks remove-device"),
        FormerName("phone forget", "phone remove"), FormerName("phone restored", "phone accept-backup"),
        FormerName("phone scripts revoke", "phone scripts remove"),
        FormerName("totp delete", "totp remove"), FormerName("totp edit", "totp rename"),
        FormerName("archive forget", "archive remove"),
    ]

    /// Returns the former name with which a command line begins, if it does.
    ///
    /// - Parameter arguments: without the program's name.
    static func beginning(_ arguments: [String]) -> FormerName? {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        return all.first { words.starts(with: $0.words) }
    }

    /// Returns the present names of those that were commands of a group, by the last word of each former name.
    static func below(_ group: [String]) -> [String: String] {
        let names = all.filter { $0.words.dropLast() == group[...] }
        return Dictionary(names.map { ($0.words.last ?? "", $0.present.joined(separator: " ")) }) { $1 }
    }

    /// Returns the command line with the present name.
    func replaced(in arguments: [String]) -> [String] {
        let start = arguments.first == "help" ? 1 : 0
        return Array(arguments[..<start]) + present + arguments[(start + words.count)...]
    }

    /// The sentence for a person at a terminal.
    var notice: String {
        "“countersign \(words.joined(separator: " "))” is called “countersign \(present.joined(separator: " "))” now; the former "
            + "name goes with the next release"
    }
}
