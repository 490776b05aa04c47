import CurlClient
import Foundation
import HTMLEngine
import JSON
import Secrets

/// Takes out of what is recorded what is the person's own: every secret, tokens and cookies; and the digits of account
/// numbers and amounts, unless it is told to keep them.
public struct Mask: Sendable {
    /// Keeps digits: for a mock bank, where they are nobody's.
    public var keepsDigits: Bool

    public init(keepsDigits: Bool = false) {
        self.keepsDigits = keepsDigits
    }

    /// A text that a page shows; secrets are the caller's to redact, over many texts at once.
    func text(_ text: String) -> String {
        keepsDigits ? text : NumberMask.masked(text)
    }

    /// A value that was sent under a name.
    func value(_ value: String, named name: String) -> String {
        if value.isEmpty { return value }
        return Self.isTelling(name) || Self.looksLikeToken(value) ? Secret.mask : text(Redactor.redact(value))
    }

    /// An address: its path with account numbers masked, its query with the names and the harmless values.
    func url(_ url: String) -> String {
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
                ? FormFields.encoded(Secret.mask) : FormFields.encodingDots(in: text(String(segment)))
        }.joined(separator: "/")
    }

    /// Cookies and tokens keep their names, and lose their values.
    func header(_ header: HTTPHeader) -> HTTPHeader {
        let name = header.name.lowercased()
        switch name {
        case "cookie":
            let names = header.value.split(separator: ";").map { $0.prefix { $0 != "=" } + "=" + Secret.mask }
            return HTTPHeader(header.name, names.joined(separator: ";"))
        case "set-cookie":
            let pair = header.value.prefix { $0 != ";" }
            return HTTPHeader(
                header.name, pair.prefix { $0 != "=" } + "=" + Secret.mask + header.value.dropFirst(pair.count))
        case "authorization", "proxy-authorization", "www-authenticate":
            return HTTPHeader(header.name, header.value.prefix { $0 != " " } + " " + Secret.mask)
        case "location", "referer", "content-location": return HTTPHeader(header.name, url(header.value))
        case "date", "expires", "last-modified", "content-length", "age", "cache-control", "content-type",
            "strict-transport-security", "user-agent", "accept", "accept-language", "origin", "host":
            return HTTPHeader(header.name, Redactor.redact(header.value))
        default:
            return HTTPHeader(header.name, value(header.value, named: header.name))
        }
    }

    func json(_ value: JSONValue, named name: String = "") -> JSONValue {
        switch value {
        case .string(let text): .string(self.value(text, named: name))
        case .number(let number):
            keepsDigits || number == number.rounded() && (0...31 ~= number || 1990...2100 ~= number)
                ? value : .number(0)
        case .array(let items): .array(items.map { json($0, named: name) })
        case .object(let members):
            .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key, json($0.value, named: $0.key)) }))
        case .null, .bool: value
        }
    }

    /// Names of fields whose values are secret, whatever they are.
    private static func isTelling(_ name: String) -> Bool {
        let name = name.lowercased()
        return [
            "pass", "pwd", "secret", "token", "csrf", "xsrf", "auth", "session", "code", "otp", "nonce", "viewstate",
            "signature", "api-key", "apikey", "ticket", "assertion",
        ].contains { name.contains($0) } || ["pin", "tan", "sid", "user", "username", "login", "etag"].contains(name)
    }

    /// Long and mixed, as no word is.
    private static func looksLikeToken(_ value: String) -> Bool {
        value.utf8.count >= 20 && !value.contains(where: \.isWhitespace) && value.contains(where: \.isDigit)
            && value.contains(where: \.isLetter)
            && value.split(whereSeparator: { "-_.".contains($0) }).contains { $0.count >= 12 }
    }
}
