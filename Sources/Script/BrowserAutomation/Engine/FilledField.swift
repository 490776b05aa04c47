import Automation
import Encodings
import Secrets
import Selectors

/// A field that a step has filled, until something is sent.
struct FilledField: Sendable {
    let locator: Locator
    let input: Input
    let context: String
    /// Its place among the filled fields that the document keeps.
    let index: Int
}

/// The content of a field, judged against what was typed into it.
///
/// Pages format what is typed: they group digits, add a currency, write capitals, or show dots. They also lose keys: a
/// framework that draws the field anew after the first one leaves a part of the text. The first is fine, the second must
/// not be sent.
struct FieldContent {
    let text: String

    /// True if the field holds what was typed, however the page writes it.
    func holds(_ input: Input) -> Bool {
        let given = input.revealed
        if text == given || text == Self.lineFeeds(given) { return true }
        let (own, wanted) = (Self.essence(text), Self.essence(given))
        if own.isEmpty { return text.count >= given.count && !text.isEmpty }
        if wanted.isEmpty { return text.count >= given.count }
        if own == wanted { return true }
        // A page may add to the text: a currency, a country's prefix, decimals. Twice the text is a fault.
        if own != wanted + wanted, own.hasPrefix(wanted) || own.hasSuffix(wanted) { return true }
        guard !input.isSecret else { return false }
        if let own = Double(text), own == Double(given) { return true }
        return Self.withoutLeadingZeros(text) == Self.withoutLeadingZeros(given)
    }

    /// True if a part of what was typed is missing.
    func isCut(of input: Input) -> Bool {
        !holds(input) && Self.essence(text).count < max(Self.essence(input.revealed).count, 1)
    }

    /// The letters and digits, in lower case.
    private static func essence(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    private static func withoutLeadingZeros(_ text: String) -> String {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }
            .map { part in part.allSatisfy(\.isNumber) ? String(part.drop { $0 == "0" }) : String(part) }.joined()
    }

    private static func lineFeeds(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }
}
