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

    /// Removes the live secrets from a page that is to be kept. A secret of one letter stays in its texts: gaps in the place
    /// of a common letter would say which one it is, in prose and in lists of options. What was typed goes with the fields'
    /// values.
    public static func redactPage(_ page: String) -> String {
        redactPages([page])[0]
    }

    public static func redactPages(_ pages: [String]) -> [String] {
        let spellings = LiveSecrets.shared.spellings.filter { $0.bytes.text.count > 1 }
        return pages.map { remove(spellings, from: $0) }
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
