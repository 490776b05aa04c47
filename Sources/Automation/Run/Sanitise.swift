import Foundation
import Secrets

/// Makes a bank's own words fit to be shown, logged and sent to the broker: no secret, no control character, no long
/// run of digits (an account number, a card), white space folded, at most 300 characters.
func sanitised(_ text: String) -> String {
    let folded = Redactor.redact(text)
        .replacingOccurrences(of: #"[\s\p{Cc}\p{Cf}]+"#, with: " ", options: .regularExpression)
        .trimmingCharacters(in: .whitespaces)
    let masked = folded.replacingOccurrences(
        of: #"(?<![\d])(?:\d[ -]?){6,}\d"#, with: Secret.mask, options: .regularExpression)
    return masked.count > 300 ? masked.prefix(299) + "…" : masked
}

/// A URL without what may hold a secret: userinfo, query and fragment.
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
