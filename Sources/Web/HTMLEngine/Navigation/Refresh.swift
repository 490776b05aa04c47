/// The target and delay of a `Refresh` header or `meta` ("shared declarative refresh steps", HTML Standard, section
/// 4.2.5.3).
package struct Refresh: Hashable {
    package let delay: Duration
    /// Nil for the page itself.
    package let reference: String?

    /// The longest delay that a run waits for. A longer one usually marks the end of a session.
    package static let longestFollowed: Duration = .seconds(10)

    package init?(_ text: String) {
        var rest = text.unicodeScalars[...]
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { " \t\n\r\u{0C}".unicodeScalars.contains(scalar) }
        func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
        func skipSpace() { rest = rest.drop(while: isSpace) }
        skipSpace()
        let digits = rest.prefix(while: isDigit)
        rest = rest.dropFirst(digits.count)
        guard !digits.isEmpty || rest.first == "." else { return nil }
        // A number that is too large means never.
        delay = .seconds(digits.isEmpty ? 0 : Int64(String(digits)).map { min($0, 1 << 40) } ?? 1 << 40)
        rest = rest.drop { isDigit($0) || $0 == "." }
        guard let separator = rest.first else {
            reference = nil
            return
        }
        guard separator == ";" || separator == "," || isSpace(separator) else { return nil }
        skipSpace()
        if rest.first == ";" || rest.first == "," { rest = rest.dropFirst() }
        skipSpace()
        var value = rest
        if String(value.prefix(3)).lowercased() == "url" {
            let afterName = value.dropFirst(3).drop(while: isSpace)
            if afterName.first == "=" { value = afterName.dropFirst().drop(while: isSpace) }
        }
        if let quote = value.first, quote == "'" || quote == "\"" {
            value = value.dropFirst().prefix { $0 != quote }
        }
        reference = value.isEmpty ? nil : String(value)
    }
}
