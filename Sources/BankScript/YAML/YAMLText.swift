/// A piece of YAML as it is written: on one line in flow style, or as a block of steps.
indirect enum YAMLText {
    /// A text, quoted where YAML would read it as something else.
    case text(String)
    /// Written as it is: a number, `true`, `null`.
    case bare(String)
    case members([(String, YAMLText)])
    case items([YAMLText])

    /// On one line.
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

    /// The text as a scalar: plain where that is safe on a line of its own and between brackets.
    static func scalar(_ text: String) -> String {
        isPlain(text) ? text : "\"" + escaped(text) + "\""
    }

    /// What is not marked as a key is one up to 1,024 characters, quotes and escapes among them (YAML 1.2, section 7.4.2).
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

    /// A comment that ends where its line does, whatever is in it.
    static func comment(_ text: String) -> String {
        var line = text.isEmpty ? "#" : "# "
        for scalar in text.unicodeScalars { line.unicodeScalars.append(isUnwritable(scalar) ? " " : scalar) }
        return line
    }

    private static let reserved: Set<String> = [
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", ".nan", ".inf",
    ]

    /// What a YAML file cannot hold as it is, or reads as the end of a line (YAML 1.1, sections 5.1 and 5.4).
    private static func isUnwritable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar == "\u{FEFF}" || scalar == "\u{FFFE}" || scalar == "\u{FFFF}"
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        // Scalar by scalar: a mark that combines with a space makes no other space of it.
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
