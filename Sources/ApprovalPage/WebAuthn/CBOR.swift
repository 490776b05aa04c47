/// The CBOR (RFC 8949) that authenticators write: definite lengths, shortest forms, no tags, no floats (CTAP 2.1,
/// section 8, "message encoding"). Everything else is refused.
enum CBOR: Sendable, Hashable {
    case integer(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([CBOR: CBOR])
    case bool(Bool)
    case null

    /// The deepest nesting that is read. CTAP allows four levels; attestation statements with certificates need no more
    /// than this.
    static let depth = 8

    /// Reads one item that fills all of the bytes.
    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        var reader = CBORReader(bytes)
        self = try reader.item(depth: Self.depth)
        guard reader.isAtEnd else { throw WebAuthnError(.malformed, "bytes are left over after a CBOR item") }
    }

    /// Reads one item from the start and returns the rest.
    static func prefix(of bytes: [UInt8]) throws(WebAuthnError) -> (item: CBOR, rest: [UInt8]) {
        var reader = CBORReader(bytes)
        let item = try reader.item(depth: depth)
        return (item, Array(bytes[reader.offset...]))
    }

    subscript(key: CBOR) -> CBOR? { if case .map(let members) = self { members[key] } else { nil } }

    var integerValue: Int? { if case .integer(let value) = self { value } else { nil } }
    var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    var textValue: String? { if case .text(let value) = self { value } else { nil } }
}

private struct CBORReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func item(depth: Int) throws(WebAuthnError) -> CBOR {
        guard depth > 0 else { throw WebAuthnError(.malformed, "CBOR is nested too deeply") }
        let initial = try byte()
        let argument = try argument(initial & 0x1F)
        switch initial >> 5 {
        case 0: return .integer(argument)
        case 1: return .integer(-1 - argument)
        case 2: return .bytes(try take(argument))
        case 3:
            guard let text = String(validating: try take(argument), as: UTF8.self) else {
                throw WebAuthnError(.malformed, "a CBOR text is not UTF-8")
            }
            return .text(text)
        case 4: return .array(try array(argument, depth: depth))
        case 5: return .map(try map(argument, depth: depth))
        case 7 where initial == 0xF4: return .bool(false)
        case 7 where initial == 0xF5: return .bool(true)
        case 7 where initial == 0xF6: return .null
        default: throw WebAuthnError(.malformed, "a CBOR item is of a kind that authenticators do not write")
        }
    }

    private mutating func array(_ count: Int, depth: Int) throws(WebAuthnError) -> [CBOR] {
        guard count <= bytes.count - offset else { throw WebAuthnError(.malformed, "a CBOR array is cut off") }
        var items: [CBOR] = []
        for _ in 0..<count { items.append(try item(depth: depth - 1)) }
        return items
    }

    private mutating func map(_ count: Int, depth: Int) throws(WebAuthnError) -> [CBOR: CBOR] {
        guard count <= (bytes.count - offset) / 2 else { throw WebAuthnError(.malformed, "a CBOR map is cut off") }
        var members: [CBOR: CBOR] = [:]
        for _ in 0..<count {
            let key = try item(depth: depth - 1)
            let value = try item(depth: depth - 1)
            guard members.updateValue(value, forKey: key) == nil else {
                throw WebAuthnError(.malformed, "a CBOR map has a key twice")
            }
        }
        return members
    }

    /// Reads the number after the initial byte, which must be in its shortest form.
    private mutating func argument(_ information: UInt8) throws(WebAuthnError) -> Int {
        let width: Int
        switch information {
        case 0..<24: return Int(information)
        case 24: width = 1
        case 25: width = 2
        case 26: width = 4
        case 27: width = 8
        default: throw WebAuthnError(.malformed, "a CBOR item has no definite length")
        }
        let value = try take(width).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = width == 1 ? 24 : 1 << (width * 4)
        guard value >= least, let number = Int(exactly: value) else {
            throw WebAuthnError(.malformed, "a CBOR number is not in its shortest form")
        }
        return number
    }

    private mutating func byte() throws(WebAuthnError) -> UInt8 { try take(1)[0] }

    private mutating func take(_ count: Int) throws(WebAuthnError) -> [UInt8] {
        guard count <= bytes.count - offset else { throw WebAuthnError(.malformed, "a CBOR item is cut off") }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }
}
