/// A file of a backup: which part of the broker it is.
package enum BackupPart: Sendable {
    case database
    case sealingSecret
    case policy
    /// The file of a household, and the agent's token that it names.
    case household, agentToken
    /// An accepted document in the broker's own folder, by its file's name.
    case statement(String)
    case archiveIndex
    /// A file of the archive, by its path below the archive's folder.
    case archived(String)

    private static let single: [(name: String, part: BackupPart)] = [
        ("broker.sqlite", .database), ("sealing.secret", .sealingSecret), ("policy.yaml", .policy),
        ("household.json", .household), ("agent.token", .agentToken), ("archive-index.sqlite", .archiveIndex),
    ]

    /// The file's path below the backup's folder.
    package var path: String {
        switch self {
        case .database: "broker.sqlite"
        case .sealingSecret: "sealing.secret"
        case .policy: "policy.yaml"
        case .household: "household.json"
        case .agentToken: "agent.token"
        case .archiveIndex: "archive-index.sqlite"
        case .statement(let name): "statements/\(name)"
        case .archived(let path): "archive/\(path)"
        }
    }

    /// Reads a path below the backup's folder.
    ///
    /// - Returns: nil for a path that a backup cannot have: one that leads elsewhere, a hidden name, or an unknown one.
    package init?(path: String) {
        if let known = Self.single.first(where: { $0.name.utf8.elementsEqual(path.utf8) }) {
            self = known.part
            return
        }
        // By bytes: a combining mark after a slash hides it from a comparison of characters.
        let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.count >= 2, names.allSatisfy({ Self.isPlain($0) }) else { return nil }
        let rest = String(decoding: path.utf8.dropFirst(names[0].count + 1), as: UTF8.self)
        switch String(decoding: names[0], as: UTF8.self) {
        case "statements" where names.count == 2: self = .statement(rest)
        case "archive": self = .archived(rest)
        default: return nil
        }
    }

    /// True for a name that is not hidden, leads nowhere else, and stands in a line of the list as it is.
    private static func isPlain(_ name: Substring.UTF8View) -> Bool {
        guard let first = name.first, first != UInt8(ascii: ".") else { return false }
        return name.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
    }
}
