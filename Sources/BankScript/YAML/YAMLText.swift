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
                ? "{}" : "{ " + members.map { "\(Self.scalar($0.0)): \($0.1.flow)" }.joined(separator: ", ") + " }"
        case .items(let items): "[" + items.map(\.flow).joined(separator: ", ") + "]"
        }
    }

    /// The text as a scalar: plain where that is safe on a line of its own and between brackets.
    static func scalar(_ text: String) -> String {
        isPlain(text) ? text : "\"" + escaped(text) + "\""
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\t": "\\t"
            case _ where scalar.properties.generalCategory == .control || scalar == "\u{FEFF}":
                "\\u" + String(repeating: "0", count: max(0, 4 - String(scalar.value, radix: 16).count))
                    + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }.joined()
    }

    private static let reserved: Set<String> = [
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", ".nan", ".inf",
    ]

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return false }
        guard
            first.properties.isAlphabetic || first == "/" || first == "$"
                || (first == "." && text.dropFirst().first?.isLetter ?? false)
        else {
            return false
        }
        guard last != ":", !last.properties.isWhitespace, !reserved.contains(text.lowercased()) else { return false }
        guard !text.contains(": "), !text.contains(" #"), !text.contains("  ") else { return false }
        return text.unicodeScalars.allSatisfy {
            !"{}[],&*!|>'\"%@`\\#?".unicodeScalars.contains($0) && $0.properties.generalCategory != .control
        }
    }
}
