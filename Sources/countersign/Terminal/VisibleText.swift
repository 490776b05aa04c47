import Foundation

extension String {
    /// Control characters, and those that turn the direction of a text, spelled out: what a bank or a script of somebody
    /// else's says must neither steer the terminal nor read as something that it is not (Unicode TR 36, section 2.5).
    /// The spelling is JSON's, so that JSON stays what it is.
    var visible: String {
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
