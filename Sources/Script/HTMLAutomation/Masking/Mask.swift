import Foundation
import HTMLEngine
import Secrets

/// Removes personal data from recordings: every secret, tokens and cookies, and the digits of account numbers and amounts
/// unless it keeps digits.
public struct Mask: Sendable {
    /// Shows digits. Use it for a mock bank, whose numbers belong to no person.
    public var keepsDigits: Bool
    /// Invents numbers and tokens instead of dots. The same one becomes the same again, so that a recording still shows
    /// which document an address belongs to.
    package var invention: Invention?
    /// Returns the mark for a value that is a known credential.
    package var naming: (@Sendable (String) -> String?)?

    public init(keepsDigits: Bool = false) {
        self.keepsDigits = keepsDigits
    }

    /// Masks a text that a page shows.
    ///
    /// Secrets go first: without its digits, the rest of a password would not be taken for a secret, and stay.
    package func text(_ text: String) -> String {
        let clean = Redactor.redact(text)
        return keepsDigits ? clean : NumberMask.masked(clean, by: invention)
    }

    /// Masks a value that was sent under a name.
    package func value(_ value: String, named name: String) -> String {
        if value.isEmpty { return value }
        if let mark = naming?(value) { return mark }
        if Self.namesSecret(name) { return Secret.mask }
        // An address keeps its structure: a script may open it.
        if Self.looksLikeAddress(value) { return url(value) }
        return Self.looksLikeToken(value) ? token(value) : text(Redactor.redactValue(value))
    }

    private func token(_ value: String) -> String { invention?.token(for: value) ?? Secret.mask }

    /// Returns whether every value under this name is a secret, whatever it is.
    package func hidesValues(named name: String) -> Bool { Self.namesSecret(name) }

    /// Masks an address: account numbers in its path, and every value of its query that is not harmless.
    package func url(_ url: String) -> String {
        var parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[...]
        let address = parts.removeFirst()
        let halves = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var result = path(String(halves[0]))
        if halves.count > 1 {
            let fields = FormFields(urlEncoded: String(halves[1])).fields.map { field in
                "\(FormFields.encoded(field.name))=\(FormFields.encoded(value(field.value, named: field.name)))"
            }
            result += "?" + fields.joined(separator: "&")
        }
        return Redactor.redact(result)
    }

    /// Masks what a `Refresh` header or `meta` says, whose address a replay follows.
    package func refresh(_ value: String) -> String {
        guard let refresh = Refresh(value) else { return self.value(value, named: "refresh") }
        return "\(refresh.delay.components.seconds)" + (refresh.reference.map { "; url=" + url($0) } ?? "")
    }

    private func path(_ address: String) -> String {
        guard let scheme = address.firstRange(of: "://") else { return masked(path: address) }
        let rest = address[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        let host = authority.split(separator: "@").last ?? ""
        return address[..<scheme.upperBound] + host + masked(path: String(rest.dropFirst(authority.count)))
    }

    private func masked(path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            Self.looksLikeToken(String(segment))
                ? FormFields.encoded(token(String(segment))) : FormFields.encodingDots(in: text(String(segment)))
        }.joined(separator: "/")
    }

    /// Returns whether a field of this name holds a secret, whatever its value is.
    private static func namesSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return [
            "pass", "pwd", "secret", "token", "csrf", "xsrf", "auth", "session", "code", "otp", "nonce", "viewstate",
            "signature", "api-key", "apikey", "ticket", "assertion",
        ].contains { name.contains($0) } || ["pin", "tan", "sid", "user", "username", "login", "etag"].contains(name)
    }

    /// Returns whether a value is a path or a web address.
    private static func looksLikeAddress(_ value: String) -> Bool {
        value.count > 1 && !value.contains(where: \.isWhitespace) && !value.hasPrefix("//")
            && (value.hasPrefix("/") || value.hasPrefix("https://") || value.hasPrefix("http://"))
    }

    /// Returns whether a value is long and mixes letters with digits, as no word does.
    private static func looksLikeToken(_ value: String) -> Bool {
        value.utf8.count >= 20 && !value.contains(where: \.isWhitespace) && value.contains(where: \.isDigit)
            && value.contains(where: \.isLetter)
            && value.split(whereSeparator: { "-_.".contains($0) }).contains { $0.count >= 12 }
    }
}
