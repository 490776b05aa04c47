import Foundation

/// Removes every living ``Secret`` from a text, in each spelling that a secret can take on its way through a web
/// session: as it is, percent-encoded (also with `+` for space), base64 and base64url, HTML-escaped, JSON-escaped, hex.
///
/// A secret of fewer than four bytes is only removed where it stands as a word of its own; a longer one is removed
/// wherever it occurs.
public enum Redactor {
    /// The shortest secret that is removed from the middle of a word, in bytes.
    static let shortest = 4

    public static func redact(_ text: String) -> String {
        remove(LiveSecrets.shared.spellings(computedBy: spellings), from: text)
    }

    /// Removes the secrets that live now from many texts: their spellings are worked out once.
    public static func redact(_ texts: [String]) -> [String] {
        let spellings = LiveSecrets.shared.spellings(computedBy: spellings)
        return texts.map { remove(spellings, from: $0) }
    }

    static func redact(_ text: String, of secrets: [String]) -> String {
        remove(spellings(of: secrets), from: text)
    }

    private static func remove(_ spellings: [Spelling], from text: String) -> String {
        var result = text
        for spelling in spellings where spelling.occurs(in: &result) {
            result = spelling.remove(from: result)
        }
        return result
    }

    struct Spelling: Sendable {
        let text: String
        let isWord: Bool
        /// Where all of it is ASCII.
        private let bytes: [UInt8]?

        init(text: String, isWord: Bool) {
            self.text = text
            self.isWord = isWord
            bytes = text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
        }

        /// Between ASCII and ASCII a search for bytes finds what a search for characters does, much faster; a log asks
        /// for each spelling of each secret at each record.
        fileprivate func occurs(in haystack: inout String) -> Bool {
            let found = bytes.flatMap { bytes in
                haystack.withUTF8 { hay in
                    hay.allSatisfy { $0 < 0x80 } ? Self.search(UnsafeRawBufferPointer(hay), for: bytes) : nil
                }
            }
            return found ?? haystack.contains(text)
        }

        private static func search(_ hay: UnsafeRawBufferPointer, for bytes: [UInt8]) -> Bool {
            guard let first = bytes.first, var place = hay.baseAddress else { return false }
            let end = place + hay.count
            while end - place >= bytes.count,
                let hit = memchr(place, Int32(first), end - place - bytes.count + 1)
            {
                if memcmp(hit, bytes, bytes.count) == 0 { return true }
                place = UnsafeRawPointer(hit) + 1
            }
            return false
        }

        fileprivate func remove(from haystack: String) -> String {
            guard isWord else { return haystack.replacingOccurrences(of: text, with: Secret.mask) }
            let pattern = #"(?<![\p{L}\p{N}])"# + NSRegularExpression.escapedPattern(for: text) + #"(?![\p{L}\p{N}])"#
            return haystack.replacingOccurrences(of: pattern, with: Secret.mask, options: .regularExpression)
        }
    }

    private static func spellings(of secrets: [String]) -> [Spelling] {
        var seen: Set<String> = []
        var result: [Spelling] = []
        for plain in secrets where !plain.isEmpty {
            let isShort = plain.utf8.count < shortest
            for text in isShort ? [plain] : encodings(of: plain) where !text.isEmpty && seen.insert(text).inserted {
                result.append(Spelling(text: text, isWord: isShort))
            }
        }
        // Longest first, so that a short secret inside a long one does not leave the long one's rest behind.
        return result.sorted { $0.text.utf8.count > $1.text.utf8.count }
    }

    private static func encodings(of plain: String) -> [String] {
        let bytes = Data(plain.utf8)
        let base64 = bytes.base64EncodedString()
        let base64url = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        let unpadded = base64.replacingOccurrences(of: "=", with: "")
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        return [
            plain, base64, unpadded, base64url, base64url.replacingOccurrences(of: "=", with: ""),
            hex, hex.uppercased(),
        ] + percentEncodings(of: plain) + htmlEncodings(of: plain) + jsonEncodings(of: plain)
    }

    private static func percentEncodings(of plain: String) -> [String] {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        // The application/x-www-form-urlencoded percent-encode set of the URL standard, section 5.2.
        let formSafe = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._ ")
        // The userinfo and query spellings leave sub-delimiters alone.
        let querySafe = unreserved.union(CharacterSet(charactersIn: "!$'()*,;:@/?&=+"))
        let strict = plain.addingPercentEncoding(withAllowedCharacters: unreserved) ?? plain
        let form = (plain.addingPercentEncoding(withAllowedCharacters: formSafe) ?? plain)
            .replacingOccurrences(of: " ", with: "+")
        let query = plain.addingPercentEncoding(withAllowedCharacters: querySafe) ?? plain
        return [strict, form, query].flatMap { [$0, lowercasingEscapes(in: $0)] }
    }

    private static func lowercasingEscapes(in text: String) -> String {
        var result = ""
        var escape = 0
        for character in text {
            if character == "%" { escape = 3 }
            result.append(escape > 0 ? Character(character.lowercased()) : character)
            escape = max(0, escape - 1)
        }
        return result
    }

    private static func htmlEncodings(of plain: String) -> [String] {
        let ampersand = plain.replacingOccurrences(of: "&", with: "&amp;")
        let text = ampersand.replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
        let quoted = text.replacingOccurrences(of: "\"", with: "&quot;")
        return [
            ampersand.replacingOccurrences(of: "\"", with: "&quot;"), text, quoted,
            quoted.replacingOccurrences(of: "'", with: "&#39;"), quoted.replacingOccurrences(of: "'", with: "&#x27;"),
        ]
    }

    private static func jsonEncodings(of plain: String) -> [String] {
        let escaped = plain.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return [escaped, escaped.replacingOccurrences(of: "/", with: "\\/")]
    }
}
