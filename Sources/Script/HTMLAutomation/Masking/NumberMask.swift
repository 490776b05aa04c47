import Foundation

/// Masks the private numbers of a page: account numbers, amounts, telephone numbers. Years, days, months and page numbers
/// stay, because a reader needs them to follow a run.
enum NumberMask {
    /// Stands for one digit.
    static let digit: Character = "•"

    private static let number = expression(#"\p{Nd}+(?:[ \x{a0}\x{202f}.,'’/:–-]\p{Nd}+)*"#)
    private static let date = expression(
        #"^(?:(?:19|20)[0-9]{2}-[01][0-9](?:-[0-3][0-9])?|[0-3]?[0-9][./-][01]?[0-9][./-](?:19|20)?[0-9]{2}|"#
            + #"[01]?[0-9][./-](?:19|20)[0-9]{2}|[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?)$"#)
    private static let currency =
        #"(?:[$£€¥₹₽₺₩]|\b(?:EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|zł|Kč|kr|Fr\.?))"#
    private static let before = expression(currency + #"\s?[+−-]?$"#)
    /// The part of a URL before its port.
    private static let authority = expression(#"[a-z]://[^\s/]+:$"#)
    private static let after = expression(#"^\s?"# + currency)

    /// Replaces the digits of private numbers by dots.
    ///
    /// - Parameter invention: invents digits instead of dots.
    static func masked(_ text: String, by invention: Invention? = nil) -> String {
        // A quick exit: most texts of a page are plain words.
        if text.utf8.allSatisfy({ $0 < 0x80 && !(0x30...0x39).contains($0) }) { return text }
        guard text.contains(where: \.isDigit) else { return text }
        var result = ""
        var rest = text.startIndex
        let whole = NSRange(text.startIndex..., in: text)
        for match in number.matches(in: text, range: whole) {
            guard let range = Range(match.range, in: text) else { continue }
            result += text[rest..<range.lowerBound]
            let found = text[range]
            if matches(authority, text[..<range.lowerBound].suffix(300)) {
                let port = found.prefix(while: \.isDigit)
                result += port + masked(String(found[port.endIndex...]), by: invention)
            } else {
                let isAmount =
                    matches(before, text[..<range.lowerBound].suffix(8))
                    || matches(after, text[range.upperBound...].prefix(8))
                let isShown = !isAmount && isHarmless(found)
                result +=
                    isShown
                    ? String(found)
                    : invention?.digits(in: String(found)) ?? String(found.map { $0.isDigit ? digit : $0 })
            }
            rest = range.upperBound
        }
        return result + text[rest...]
    }

    private static func isHarmless(_ found: Substring) -> Bool {
        if matches(date, found) { return true }
        guard !found.contains(where: { ".,'’:".contains($0) }) else { return false }
        let groups = found.split { !$0.isDigit }
        if groups.allSatisfy(isYear) { return true }
        return groups.count <= 2 && groups.allSatisfy { isYear($0) || isDay($0) }
    }

    private static func isYear(_ digits: Substring) -> Bool {
        digits.count == 4 && (1990...2100).contains(Int(digits) ?? 0)
    }

    private static func isDay(_ digits: Substring) -> Bool { digits.count <= 2 && (Int(digits) ?? 99) <= 31 }

    private static func matches(_ expression: NSRegularExpression, _ text: Substring) -> Bool {
        let text = String(text)
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    private static func expression(_ pattern: String) -> NSRegularExpression {
        // The patterns are constants of this file, and the tests compile all of them.
        try! NSRegularExpression(pattern: pattern)
    }
}

extension Character {
    /// A decimal digit of any script.
    var isDigit: Bool { unicodeScalars.contains { $0.properties.generalCategory == .decimalNumber } }
}
