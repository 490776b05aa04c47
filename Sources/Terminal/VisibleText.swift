import Foundation

extension String {
    /// The text with control characters and direction marks escaped.
    ///
    /// A bank's or another author's text must not control the terminal or read as something else (Unicode TR 36, section
    /// 2.5). The escapes are JSON's, so that JSON keeps its meaning.
    package var visible: String {
        guard unicodeScalars.contains(where: \.isDeceptive) else { return self }
        return unicodeScalars.map { scalar in
            scalar.isDeceptive ? String(format: "\\u%04x", scalar.value) : String(scalar)
        }.joined()
    }
}

extension Unicode.Scalar {
    fileprivate var isDeceptive: Bool {
        switch value {
        case 0x0A, 0x09: false
        case 0x00...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
