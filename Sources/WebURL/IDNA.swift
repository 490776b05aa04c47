import Foundation

/// Internationalised domain names: "domain to ASCII" of the URL Standard, section 3.3.
///
/// The mapping, the Bidi rule and the rules for joiners are those of UTS #46, non-transitional, as Foundation's ICU
/// applies them. Stricter than the standard in what nobody can register: beside a label of other than ASCII, hyphens at
/// a label's ends or in its third and fourth place are refused, and so are empty labels and ones longer than DNS has.
enum IDNA {
    private static let prefix = "xn--"
    /// RFC 1035, section 2.3.4.
    private static let longestLabel = 63

    /// nil when it is not a domain name.
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
        // What cannot be encoded comes back with its UTF-8 in percent signs.
        guard let encoded = components.encodedHost, !encoded.contains("%") else { return nil }
        return encoded.lowercased()
    }

    /// A label that stands for one which would be encoded otherwise, or for plain ASCII, is no name.
    private static func isCanonical(_ label: Substring) -> Bool {
        guard label.utf8.count <= longestLabel,
            let scalars = Punycode.decode(String(label.dropFirst(prefix.count))), !scalars.allSatisfy(\.isASCII)
        else {
            return false
        }
        return encoded(String(String.UnicodeScalarView(scalars))) == String(label)
    }
}
