/// The address of a sender or recipient, in lower case (RFC 5322, section 3.4).
package struct MailAddress: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Reads `ann@x.example` or `Ann <ann@x.example>`. What stands in angle brackets at the end counts, not the name
    /// before it, which a sender chooses freely.
    package init?(_ text: some StringProtocol) {
        var address = text[...]
        if let end = address.lastIndex(of: ">"), let start = address[..<end].lastIndex(of: "<") {
            address = address[address.index(after: start)..<end]
        }
        let trimmed = String(address).lowercased().filter { !$0.isWhitespace }
        let parts = trimmed.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].wholeMatch(of: /[\p{L}\p{N}.\-]{1,253}/) != nil,
            trimmed.utf8.count <= 320, !trimmed.contains(where: { "<>(),;:\"[]".contains($0) })
        else { return nil }
        description = trimmed
    }

    /// Reads the addresses of a `To` or `Cc` header.
    package static func list(_ text: String) -> [MailAddress] {
        var pieces: [String] = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                pieces.append("")
            } else {
                pieces[pieces.count - 1].append(character)
            }
        }
        return pieces.prefix(200).compactMap { MailAddress($0) }
    }
}
