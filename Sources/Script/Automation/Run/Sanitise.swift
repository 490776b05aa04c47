import Foundation
import Secrets

/// Makes a bank's own words fit to be shown, logged and sent to the broker.
///
/// The result has no secret, no control character, and no long run of digits (an account number, a card). White space is
/// folded, and it has at most 300 characters.
package func sanitised(_ text: String) -> String {
    let masked = maskingNumbers(foldingSpaceAndControls(Redactor.redact(text)))
    return masked.count > 300 ? masked.prefix(299) + "…" : masked
}

/// Replaces each run of white space, control and format characters by one space, and trims both ends.
private func foldingSpaceAndControls(_ text: String) -> String {
    text.unicodeScalars.split { scalar in
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format: true
        default: false
        }
    }.map { String($0) }.joined(separator: " ")
}

/// Masks runs of seven or more digits. Single spaces and hyphens among them do not end a run.
private func maskingNumbers(_ text: String) -> String {
    // Most texts have no such number, and the first regular expression of a process takes milliseconds.
    guard text.unicodeScalars.count(where: { $0.properties.generalCategory == .decimalNumber }) >= 7 else {
        return text
    }
    return text.replacingOccurrences(
        of: #"(?<![\d])(?:\d[ -]?){6,}\d"#, with: Secret.mask, options: .regularExpression)
}

/// Removes the parts of a URL that may hold a secret: userinfo, query and fragment.
func sanitisedURL(_ url: String) -> String {
    var text = Substring(url)
    if let end = text.firstIndex(where: { $0 == "?" || $0 == "#" }) { text = text[..<end] }
    if let scheme = text.firstRange(of: "://") {
        let authority = text[scheme.upperBound...].prefix { $0 != "/" }
        if let at = authority.lastIndex(of: "@") {
            text = text[..<scheme.upperBound] + text[text.index(after: at)...]
        }
    }
    return Redactor.redact(String(text))
}
