import HTMLAutomation
import HTMLEngine
import Secrets

/// Decides which texts of a recording may stand in a draft. A draft is meant to be published: it holds nothing that a person
/// typed to sign in, nothing that follows from it, and no text that only this person's visit has.
struct DraftPrivacy: Sendable {
    /// Stands in a draft for a value that is left out.
    static let gap = "…"

    enum Reason: Sendable, Hashable {
        /// It follows from something that was typed to sign in, such as the password.
        case follows
        /// It may be the person's own: an account, a name, a number or a token.
        case own
    }

    /// An IBAN (ISO 13616), in groups or not.
    private static var account: Regex<Substring> {
        /\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/
    }
    /// A card's or another account's number: nine digits or more, in groups or not. A date has eight.
    private static var longNumber: Regex<Substring> { /[0-9](?:[ \-]?[0-9]){8,}/ }

    /// The texts that were typed to sign in.
    private let typed: [Secret]
    /// The shortest piece of one, in bytes, that counts: shorter ones occur everywhere.
    private static let shortestPiece = 4

    init(_ archive: HTTPArchive) {
        let passwords = Set(
            archive.exchanges.flatMap(\.forms).flatMap(\.fields).filter { $0.type == "password" }.map(\.name))
        var texts: Set<String> = []
        for exchange in archive.exchanges {
            let sent = SubmittedValues(
                url: exchange.url, body: exchange.requestBody, contentType: exchange.requestHeader("content-type"))
            for value in sent.values where !value.text.contains("•") {
                let name = value.name.split(separator: ".").last.map(String.init) ?? value.name
                if passwords.contains(value.name) || RequestDraft.credential(for: name) != nil {
                    texts.insert(value.text)
                }
            }
        }
        typed = texts.filter { $0.utf8.count >= Self.shortestPiece }.map { Secret($0) }
    }

    /// Returns why a literal of a request or a field must not stand in the draft; nil when it may.
    ///
    /// - Parameters:
    ///   - text: as it was recorded.
    ///   - written: as the draft would have it, with parameters in place of the recorded month.
    func reason(against text: String, written: String? = nil) -> Reason? {
        if typed.contains(where: { $0.isSource(of: text) || Self.isPiece(text, of: $0) }) { return .follows }
        return Self.isProgramWord((written ?? text).replacing(/\{\{[^}]*\}\}/, with: "")) ? nil : .own
    }

    /// Returns whether a text is a part of a secret, as a page sends it that splits what was typed over several fields.
    private static func isPiece(_ text: String, of secret: Secret) -> Bool {
        text.utf8.count >= shortestPiece && secret.revealed().lowercased().contains(text.lowercased())
    }

    /// Returns why a part of an address or a header must not stand in the draft. Such a part may be an identifier of the
    /// bank's program, so only what is certain counts.
    func certainReason(against text: String) -> Reason? {
        if typed.contains(where: { $0.isSource(of: text, countsPlain: false) }) { return .follows }
        return text.contains(Self.account) || text.contains(Self.longNumber) ? .own : nil
    }

    /// Returns the text without IBANs and long numbers.
    static func withoutAccounts(_ text: String) -> String {
        text.replacing(account, with: gap).replacing(longNumber, with: gap)
    }

    /// Returns whether a text is one that programs choose, such as `de-AT` or `application/json`: short words without spaces,
    /// with at most three digits.
    private static func isProgramWord(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_-./:,;".utf8.contains($0)
            }
        }
        let words = text.split { "_-./:,;".contains($0) }
        return isPlain && text.utf8.count <= 64 && words.allSatisfy { $0.count <= 20 }
            && text.count(where: \.isNumber) <= 3
    }
}
