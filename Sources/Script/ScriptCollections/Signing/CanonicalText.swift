import Encodings

extension JSONValue {
    /// Returns the bytes that a signature covers: the canonical JSON of the OLPC project, as the reference implementation of
    /// TUF writes it (TUF specification 1.0.34, section 4.1; http://wiki.laptop.org/go/Canonical_JSON).
    ///
    /// It is not the canonical form of RFC 8785: only quotes and backslashes are escaped, names are sorted by code point, and
    /// numbers are whole.
    ///
    /// - Throws: ``CollectionError`` of kind `malformed` for a number with a fraction, or beyond 2^53.
    package func signedBytes() throws(CollectionError) -> [UInt8] {
        var bytes: [UInt8] = []
        try writeSigned(to: &bytes)
        return bytes
    }

    private func writeSigned(to bytes: inout [UInt8]) throws(CollectionError) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let value):
            guard value.magnitude <= 9_007_199_254_740_992, let whole = Int(exactly: value) else {
                throw CollectionError(
                    .malformed, "signed metadata has the number \(value), and may have whole ones only")
            }
            bytes += "\(whole)".utf8
        case .string(let text): Self.writeSigned(text, to: &bytes)
        case .array(let items):
            bytes.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try item.writeSigned(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            // UTF-8 sorts as its code points do.
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.writeSigned(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try member.value.writeSigned(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func writeSigned(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
