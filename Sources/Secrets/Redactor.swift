import Foundation

/// Removes every living ``Secret`` from a text, in each spelling that a secret can take on its way through a web
/// session: as it is, percent-encoded (also with `+` for space), base64 and base64url, HTML-escaped, JSON-escaped, hex.
///
/// A secret of fewer than four bytes is removed only where it is a whole word; a longer one is removed wherever it
/// occurs.
public enum Redactor {
    public static func redact(_ text: String) -> String {
        remove(LiveSecrets.shared.spellings, from: text)
    }

    /// Removes the live secrets from many texts, computing their spellings only once.
    public static func redact(_ texts: [String]) -> [String] {
        let spellings = LiveSecrets.shared.spellings
        return texts.map { remove(spellings, from: $0) }
    }

    static func redact(_ text: String, of secrets: [String]) -> String {
        remove(Spelling.merged(secrets.map(Spelling.all)), from: text)
    }

    private static func remove(_ spellings: [Spelling], from text: String) -> String {
        var result = text
        for spelling in spellings where spelling.occurs(in: &result) {
            result = spelling.remove(from: result)
        }
        return result
    }
}
