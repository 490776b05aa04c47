import Encodings
import WebURL

/// An origin as a script writes it, and as it is contacted.
struct OriginText: Sendable, Hashable, CustomStringConvertible {
    let written: String
    /// The form that is contacted, with a host in ASCII (UTS #46); the written form when it is not an origin.
    let ascii: String
    let isLoopback: Bool
    /// False for a text that cannot be contacted, such as an address with a path.
    let isOrigin: Bool

    /// More than any host name has, with scheme and port (RFC 1035, section 2.3.4): an origin that works is never cut.
    static let longest = 300

    /// ``ascii`` for a line that a person reads.
    var shown: String { ascii.inLine(limit: Self.longest) }

    init(_ written: String) {
        self.written = written
        let origin = try? Origin(parsing: written)
        ascii = origin?.description ?? written
        isOrigin = origin != nil
        isLoopback = origin?.host.isLoopback ?? false
    }

    var description: String {
        ascii == written ? shown : "\(shown), written “\(written.inLine(limit: Self.longest))”"
    }

    /// The warnings about letters that look like others (UTS #39).
    var warnings: [String] {
        let foreign = written.unicodeScalars.contains { !$0.isASCII }
        guard foreign else { return [] }
        let name = "“\(written.inLine(limit: Self.longest))” is \(shown)"
        let mixed = written.split { ".:/".contains($0) }.contains { WritingSystem.all(in: $0).count > 1 }
        return [
            mixed
                ? "\(name): its name mixes letters of several scripts, which can imitate another name"
                : "\(name): its name has letters that can look like others"
        ]
    }
}

/// A family of letters, as far as it matters for names that imitate others.
enum WritingSystem: Sendable, Hashable {
    case latin, greek, cyrillic, armenian, hebrew, arabic, cherokee, other

    static func all(in label: Substring) -> Set<WritingSystem> {
        Set(label.unicodeScalars.filter(\.properties.isAlphabetic).map(WritingSystem.init))
    }

    /// - Parameter letter: classified by its block, which is its script for the letters of domain names.
    init(_ letter: Unicode.Scalar) {
        self =
            switch letter.value {
            case 0x0041...0x024F, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA720...0xA7FF: .latin
            case 0x0370...0x03FF, 0x1F00...0x1FFF: .greek
            case 0x0400...0x052F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: .cyrillic
            case 0x0530...0x058F: .armenian
            case 0x0590...0x05FF: .hebrew
            case 0x0600...0x06FF, 0x0750...0x077F: .arabic
            case 0x13A0...0x13FF, 0xAB70...0xABBF: .cherokee
            default: .other
            }
    }
}
