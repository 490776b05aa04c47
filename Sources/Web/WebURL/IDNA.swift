import Foundation

/// Internationalised domain names: "domain to ASCII" (URL Standard, section 3.3).
///
/// Foundation's ICU applies the mapping, the Bidi rule and the rules for joiners of UTS #46, non-transitional. It is
/// stricter than the standard about names that cannot be registered: next to a label outside ASCII, it refuses hyphens
/// at a label's ends or in its third and fourth place, empty labels, and labels longer than DNS allows.
enum IDNA {
    private static let prefix = "xn--"
    /// RFC 1035, section 2.3.4.
    private static let longestLabel = 63

    /// Converts a domain to ASCII. Returns nil when it is not a domain name.
    static func ascii(_ domain: String) -> String? {
        let lowered: String
        if domain.utf8.allSatisfy({ $0 < 0x80 }) {
            lowered = domain.lowercased()
        } else {
            guard let encoded = encoded(domain) else { return nil }
            lowered = encoded
        }
        let labels = lowered.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.hasPrefix(prefix) || isCanonical($0) }) else { return nil }
        return lowered
    }

    private static func encoded(_ domain: String) -> String? {
        var components = URLComponents()
        components.host = domain
        // Foundation percent-encodes the UTF-8 of a domain that it cannot encode.
        guard let encoded = components.encodedHost, !encoded.contains("%") else { return nil }
        return encoded.lowercased()
    }

    /// Returns whether a Punycode label is the encoding of what it decodes to, and that is not plain ASCII.
    private static func isCanonical(_ label: Substring) -> Bool {
        guard label.utf8.count <= longestLabel,
            let scalars = Punycode.decode(String(label.dropFirst(prefix.count))), !scalars.allSatisfy(\.isASCII)
        else {
            return false
        }
        return encoded(String(String.UnicodeScalarView(scalars))) == String(label)
    }
}
