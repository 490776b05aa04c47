import Foundation

/// Removes every living ``Secret`` from a text, in each spelling that a secret can take on its way through a web
/// session: as it is, with its accents composed or not, percent-encoded (also with `+` for space), base64 and base64url,
/// HTML-escaped, JSON-escaped, hex. What follows from a secret alone is removed, too: its reverse, its upper and lower case,
/// and its MD5, SHA-1, SHA-256 and SHA-512 in hex and base64.
///
/// Where a secret is a part of a UUID or of a digest in hex, all of that is removed.
///
/// A secret of fewer than four bytes is removed only where it is a whole word; a longer one is removed wherever it
/// occurs. One of a single character, such as a digit of a PIN, stays in texts: the gaps in the place of a common letter
/// would say which one it is. It is removed from values only.
public enum Redactor {
    public static func redact(_ text: String) -> String {
        redact([text])[0]
    }

    /// Removes the live secrets from many texts, computing their spellings only once.
    public static func redact(_ texts: [String]) -> [String] {
        let spellings = LiveSecrets.shared.spellings.filter { !$0.isCharacter }
        return texts.map { remove(spellings, from: $0) }
    }

    /// Removes the live secrets from a value that was sent by itself, such as a form's field or a header.
    public static func redactValue(_ value: String) -> String {
        remove(LiveSecrets.shared.spellings, from: value)
    }

    /// Returns whether all of a value is a live secret, in one of its spellings.
    package static func isSecret(_ value: String) -> Bool {
        LiveSecrets.shared.spellings.contains { $0.bytes.content.elementsEqual(value.utf8) }
    }

    static func redact(_ text: String, of secrets: [String]) -> String {
        remove(Spelling.merged(secrets.map { Spelling.all(of: $0.utf8) }), from: text)
    }

    private static func remove(_ spellings: [Spelling], from text: String) -> String {
        var result = text
        for spelling in spellings { spelling.remove(from: &result) }
        return result
    }
}
