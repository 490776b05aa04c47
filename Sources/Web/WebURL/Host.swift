/// The host of a URL in canonical form (URL Standard, section 3).
public enum Host: Sendable, Hashable {
    /// ASCII in lower case, with `xn--` labels for anything else. A trailing dot is kept, because it makes another
    /// origin.
    case domain(String)
    case ipv4(UInt32)
    /// Eight pieces.
    case ipv6([UInt16])
    /// The host of a URL whose scheme is not special.
    case opaque(String)
    case empty

    private static let forbidden = Set("\u{0}\t\n\r #/:<>?@[\\]^|".unicodeScalars)

    private static func isForbiddenInDomain(_ scalar: Unicode.Scalar) -> Bool {
        forbidden.contains(scalar) || scalar.value <= 0x1F || scalar == "%" || scalar.value == 0x7F
    }

    init?(parsing text: String, isSpecial: Bool) {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"), let pieces = IPv6.parse(text.dropFirst().dropLast()) else { return nil }
            self = .ipv6(pieces)
            return
        }
        guard isSpecial else {
            guard !text.unicodeScalars.contains(where: Self.forbidden.contains) else { return nil }
            self = text.isEmpty ? .empty : .opaque(PercentEncoding.encode(text.utf8, .control))
            return
        }
        if text.isPlainDomain {
            self = .domain(text)
            return
        }
        let decoded = String(decoding: PercentEncoding.decode(text), as: UTF8.self)
        guard let domain = IDNA.ascii(decoded), !domain.isEmpty,
            !domain.unicodeScalars.contains(where: Self.isForbiddenInDomain)
        else { return nil }
        if IPv4.endsInNumber(domain) {
            guard let address = IPv4.parse(domain) else { return nil }
            self = .ipv4(address)
        } else {
            self = .domain(domain)
        }
    }

    /// True if a connection to it stays on this machine (RFC 6761, section 6.3; RFC 1122; RFC 4291).
    ///
    /// IPv4 addresses embedded in IPv6 ones do not count, so that each loopback address has one spelling.
    public var isLoopback: Bool {
        switch self {
        case .domain(let name): name == "localhost" || name.hasSuffix(".localhost")
        case .ipv4(let address): address >> 24 == 127
        case .ipv6(let pieces): pieces == [0, 0, 0, 0, 0, 0, 0, 1]
        case .opaque, .empty: false
        }
    }
}

extension Host: CustomStringConvertible {
    public var description: String {
        switch self {
        case .domain(let text), .opaque(let text): text
        case .ipv4(let address): IPv4.serialize(address)
        case .ipv6(let pieces): "[\(IPv6.serialize(pieces))]"
        case .empty: ""
        }
    }
}

extension String {
    /// True if this is a domain in canonical form already, as nearly all are, and not an address: lower-case labels of
    /// ASCII letters, digits and hyphens that begin with a letter. Labels that may be Punycode (RFC 3492) do not count.
    fileprivate var isPlainDomain: Bool {
        var column = 0
        var previous: UInt8 = 0
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): column += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9") where column > 0: column += 1
            case UInt8(ascii: "-") where column > 0 && !(column == 3 && previous == byte): column += 1
            case UInt8(ascii: ".") where column > 0: column = 0
            default: return false
            }
            previous = byte
        }
        return column > 0
    }
}
