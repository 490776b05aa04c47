import Encodings

/// An agent's reason for a request, in its own words. It is a stranger's text: the person reads it, and nothing is decided by
/// it (documents.md, section 3).
public struct AgentReason: Sendable, Hashable {
    /// The most Unicode scalars of a reason.
    public static let longest = 200

    /// The words as the agent wrote them. Show ``shown`` instead.
    public let text: String

    /// Returns nil for a text without a visible character, and for one that is longer than ``longest``.
    public init?(_ text: String) {
        guard text.unicodeScalars.count <= Self.longest,
            text.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else { return nil }
        self.text = text
    }

    /// The words in one line, with every hidden character escaped. They are shown between quotation marks, so those in them are
    /// plain ones, which close nothing.
    public var shown: String {
        String(text.inLine(limit: 2 * Self.longest).map { Self.quotationMarks.contains($0) ? "'" : $0 })
    }

    private static let quotationMarks: Set<Character> = ["“", "”", "„", "‟", "«", "»", "\""]

    /// The words in one line for a messenger, which would make links, names and commands in them tappable: a space after each
    /// sign that holds such a thing together takes it apart.
    public var shownWithoutLinks: String {
        shown.reduce(into: "") { words, character in
            words.append(character)
            if Self.joints.contains(character) { words.append(" ") }
        }
    }

    private static let joints: Set<Character> = [".", ":", "/", "@", "#", "\u{FF0E}", "\u{3002}", "\u{FF61}"]
}
