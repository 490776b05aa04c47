/// A piece of YAML to write, on one line in flow style.
public indirect enum YAMLText: Sendable {
    /// A text, quoted if YAML would read it as something else.
    case text(String)
    /// Written without quotes: a number, `true`, `null`.
    case bare(String)
    case members([(String, YAMLText)])
    case items([YAMLText])

    /// The YAML on one line.
    var flow: String {
        switch self {
        case .text(let text): Self.scalar(text)
        case .bare(let text): text
        case .members(let members):
            members.isEmpty
                ? "{}" : "{ " + members.map { "\(Self.key($0.0)): \($0.1.flow)" }.joined(separator: ", ") + " }"
        case .items(let items): "[" + items.map(\.flow).joined(separator: ", ") + "]"
        }
    }

    /// Writes the text as a scalar: plain if that is safe both on a line of its own and between brackets, else quoted.
    static func scalar(_ text: String) -> String {
        isPlain(text) ? text : "\"" + escaped(text) + "\""
    }

    /// Writes a key. YAML limits an implicit key to 1,024 characters, including quotes and escapes (YAML 1.2, section
    /// 7.4.2); a longer one needs a question mark.
    private static func key(_ text: String) -> String {
        let key = scalar(text)
        return key.unicodeScalars.count < 1000 ? key : "? \(key) "
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\t": "\\t"
            case _ where isUnwritable(scalar):
                "\\u" + String(repeating: "0", count: max(0, 4 - String(scalar.value, radix: 16).count))
                    + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }.joined()
    }

    /// Writes a comment. Line breaks in the text become spaces, so that the comment cannot end early.
    static func comment(_ text: String) -> String {
        var line = text.isEmpty ? "#" : "# "
        for scalar in text.unicodeScalars { line.unicodeScalars.append(isUnwritable(scalar) ? " " : scalar) }
        return line
    }

    private static let reserved: Set<String> = [
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", ".nan", ".inf",
    ]

    /// Returns whether YAML cannot contain the character, or reads it as the end of a line (YAML 1.1, sections 5.1 and
    /// 5.4).
    private static func isUnwritable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar == "\u{FEFF}" || scalar == "\u{FFFE}" || scalar == "\u{FFFF}"
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        // Compare scalars, not characters: a space followed by a combining mark is still a space for YAML.
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return false }
        guard
            first.properties.isAlphabetic || first == "/" || first == "$"
                || (first == "." && scalars.dropFirst().first?.properties.isAlphabetic ?? false)
        else {
            return false
        }
        guard last != ":", !last.properties.isWhitespace, !reserved.contains(text.lowercased()) else { return false }
        for (scalar, next) in zip(scalars, scalars.dropFirst()) {
            if next == " ", scalar == " " || scalar == ":" { return false }
            if next == "#", scalar == " " { return false }
        }
        return scalars.allSatisfy { !"{}[],&*!|>'\"%@`\\#?".unicodeScalars.contains($0) && !isUnwritable($0) }
    }
}
