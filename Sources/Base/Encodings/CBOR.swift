/// CBOR (RFC 8949) in the form of its section 4.2.1, "core deterministic encoding": definite lengths and shortest forms.
/// Tags, floats and undefined values are refused, so that one message has one meaning. Authenticators (CTAP 2.1, section
/// 8) and AWS Nitro's attestation documents are written like this, but with the keys of a map in any order.
package enum CBOR: Sendable, Hashable {
    case integer(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([CBOR: CBOR])
    case bool(Bool)
    case null

    /// The deepest nesting that is read. CTAP allows four levels; attestation documents with certificates need no more.
    package static let depth = 8

    /// Reads one item that fills all of the bytes.
    package init(_ bytes: [UInt8]) throws(CBORError) {
        var reader = CBORReader(bytes)
        self = try reader.item(depth: Self.depth)
        guard reader.isAtEnd else { throw CBORError("bytes are left over after a CBOR item") }
    }

    /// Reads one item from the start and returns the rest.
    package static func prefix(of bytes: [UInt8]) throws(CBORError) -> (item: CBOR, rest: [UInt8]) {
        var reader = CBORReader(bytes)
        let item = try reader.item(depth: depth)
        return (item, Array(bytes[reader.offset...]))
    }

    package subscript(key: CBOR) -> CBOR? { if case .map(let members) = self { members[key] } else { nil } }

    package var integerValue: Int? { if case .integer(let value) = self { value } else { nil } }
    package var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    package var textValue: String? { if case .text(let value) = self { value } else { nil } }
    package var arrayValue: [CBOR]? { if case .array(let value) = self { value } else { nil } }
}

/// The reason why bytes are not CBOR that is accepted.
package struct CBORError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

private struct CBORReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func item(depth: Int) throws(CBORError) -> CBOR {
        guard depth > 0 else { throw CBORError("CBOR is nested too deeply") }
        let initial = try byte()
        let argument = try argument(initial & 0x1F)
        switch initial >> 5 {
        case 0: return .integer(argument)
        case 1: return .integer(-1 - argument)
        case 2: return .bytes(try take(argument))
        case 3:
            guard let text = String(validating: try take(argument), as: UTF8.self) else {
                throw CBORError("a CBOR text is not UTF-8")
            }
            return .text(text)
        case 4: return .array(try array(argument, depth: depth))
        case 5: return .map(try map(argument, depth: depth))
        case 7 where initial == 0xF4: return .bool(false)
        case 7 where initial == 0xF5: return .bool(true)
        case 7 where initial == 0xF6: return .null
        default: throw CBORError("a CBOR item is a tag, a float or undefined")
        }
    }

    private mutating func array(_ count: Int, depth: Int) throws(CBORError) -> [CBOR] {
        guard count <= bytes.count - offset else { throw CBORError("a CBOR array is cut off") }
        var items: [CBOR] = []
        for _ in 0..<count { items.append(try item(depth: depth - 1)) }
        return items
    }

    private mutating func map(_ count: Int, depth: Int) throws(CBORError) -> [CBOR: CBOR] {
        guard count <= (bytes.count - offset) / 2 else { throw CBORError("a CBOR map is cut off") }
        var members: [CBOR: CBOR] = [:]
        for _ in 0..<count {
            let key = try item(depth: depth - 1)
            let value = try item(depth: depth - 1)
            guard members.updateValue(value, forKey: key) == nil else {
                throw CBORError("a CBOR map has a key twice")
            }
        }
        return members
    }

    /// Reads the number after the initial byte, which must be in its shortest form.
    private mutating func argument(_ information: UInt8) throws(CBORError) -> Int {
        let width: Int
        switch information {
        case 0..<24: return Int(information)
        case 24: width = 1
        case 25: width = 2
        case 26: width = 4
        case 27: width = 8
        default: throw CBORError("a CBOR item has no definite length")
        }
        let value = try take(width).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = width == 1 ? 24 : 1 << (width * 4)
        guard value >= least, let number = Int(exactly: value) else {
            throw CBORError("a CBOR number is not in its shortest form")
        }
        return number
    }

    private mutating func byte() throws(CBORError) -> UInt8 { try take(1)[0] }

    private mutating func take(_ count: Int) throws(CBORError) -> [UInt8] {
        guard count <= bytes.count - offset else { throw CBORError("a CBOR item is cut off") }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }
}
