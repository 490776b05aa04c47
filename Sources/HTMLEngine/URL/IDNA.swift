import Foundation

/// Internationalised domain names: "domain to ASCII" of the URL Standard, section 3.3, on UTS #46 non-transitional
/// processing.
///
/// Instead of UTS #46's table it maps with Unicode's own lower-casing and compatibility composition, which agree with
/// the table on every letter a domain may be registered with. Left out: the Bidi rule (a name that breaks it is let
/// through, as itself), and the joining-type rule for U+200C (a name that needs it is refused).
enum IDNA {
    private static let prefix = "xn--"
    /// RFC 1035, section 3.1; a browser tolerates more, no resolver does.
    private static let longestName = 253
    private static let longestLabel = 63

    /// nil when it is not a domain name.
    static func ascii(_ domain: String) -> String? {
        let isPlain = domain.utf8.allSatisfy { $0 < 128 }
        if isPlain, !domain.utf8.contains(0x2D) || !domain.lowercased().contains(prefix) {
            return domain.lowercased()
        }
        guard let mapped = mapped(domain) else { return nil }
        var labels: [String] = []
        for label in mapped.split(separator: ".", omittingEmptySubsequences: false) {
            guard let label = asciiLabel(String(label)), label.utf8.count <= longestLabel else { return nil }
            labels.append(label)
        }
        let result = labels.joined(separator: ".")
        return result.utf8.count <= longestName + 1 ? result : nil
    }

    private static func asciiLabel(_ label: String) -> String? {
        if label.hasPrefix(prefix) {
            guard let decoded = Punycode.decode(String(label.dropFirst(prefix.count))), !decoded.isEmpty,
                !decoded.allSatisfy(\.isASCII)
            else { return nil }
            // A label that mapping would change is one that nobody can have registered.
            guard mapped(decoded.text) == decoded.text, isValid(decoded) else { return nil }
            return label
        }
        let scalars = Array(label.unicodeScalars)
        if scalars.allSatisfy(\.isASCII) { return label }
        guard isValid(scalars), let encoded = Punycode.encode(scalars) else { return nil }
        return prefix + encoded
    }

    private static func mapped(_ text: String) -> String? {
        var result = ""
        for scalar in text.unicodeScalars where !isIgnored(scalar) {
            result += scalar.properties.lowercaseMapping
        }
        let composed = result.precomposedStringWithCompatibilityMapping
        let lowered = composed.unicodeScalars.reduce(into: "") { $0 += $1.properties.lowercaseMapping }
        return lowered.precomposedStringWithCompatibilityMapping.replacing("\u{3002}", with: ".")
    }

    /// Soft hyphen, word joiner, variation selectors and their like vanish; the two joiners do not.
    private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x200C && scalar.value != 0x200D
    }

    private static func isValid(_ label: [Unicode.Scalar]) -> Bool {
        if let first = label.first, isMark(first) { return false }
        for (index, scalar) in label.enumerated() {
            switch scalar.properties.generalCategory {
            case .control, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                return false
            case .format:
                // CONTEXTJ (RFC 5892, appendix A): a joiner stands after a virama.
                let isAfterVirama =
                    index > 0 && label[index - 1].properties.canonicalCombiningClass.rawValue == 9
                guard scalar.value == 0x200C || scalar.value == 0x200D, isAfterVirama else { return false }
            default: continue
            }
        }
        return true
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
