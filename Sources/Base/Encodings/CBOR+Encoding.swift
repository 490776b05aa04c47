extension CBOR {
    /// The item in its deterministic encoding (RFC 8949, section 4.2.1): the keys of a map are sorted by their bytes.
    package var encoded: [UInt8] {
        switch self {
        case .integer(let value) where value >= 0: Self.head(0, UInt64(value))
        case .integer(let value): Self.head(1, UInt64(-1 - value))
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let items): items.reduce(Self.head(4, UInt64(items.count))) { $0 + $1.encoded }
        case .map(let members):
            members.map { ($0.encoded, $1.encoded) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
                .reduce(Self.head(5, UInt64(members.count))) { $0 + $1.0 + $1.1 }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    /// Writes the major type and the argument in its shortest form (section 3).
    private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        let type = major << 5
        let width: Int
        switch argument {
        case 0..<24: return [type | UInt8(argument)]
        case 24...0xFF: width = 1
        case 0x100...0xFFFF: width = 2
        case 0x1_0000...0xFFFF_FFFF: width = 4
        default: width = 8
        }
        let information = 24 + UInt8(width.trailingZeroBitCount)
        return [type | information] + (0..<width).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * $0)) }
    }
}
