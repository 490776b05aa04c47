/// A percent-encode set (URL Standard, section 1.3) as a bitmap over ASCII. Every set includes all control characters
/// and everything outside ASCII.
struct PercentEncodeSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    private init(_ characters: String, including other: PercentEncodeSet? = nil) {
        var low = other?.low ?? 0xFFFF_FFFF
        var high = other?.high ?? (1 << 63)
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        self.low = low
        self.high = high
    }

    func contains(_ byte: UInt8) -> Bool {
        if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
        if byte < 128 { return high >> UInt64(byte - 64) & 1 == 1 }
        return true
    }

    static let control = PercentEncodeSet("")
    static let fragment = PercentEncodeSet(" \"<>`", including: control)
    static let query = PercentEncodeSet(" \"#<>", including: control)
    static let specialQuery = PercentEncodeSet("'", including: query)
    static let path = PercentEncodeSet("?^`{}", including: query)
    static let userinfo = PercentEncodeSet("/:;=@[\\]|", including: path)
    static let component = PercentEncodeSet("$%&+,", including: userinfo)
    static let formURLEncoded = PercentEncodeSet("!'()~", including: component)
}

package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func append(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(0x25)
        output.append(digits[Int(byte >> 4)])
        output.append(digits[Int(byte & 15)])
    }

    static func encode(_ bytes: some Sequence<UInt8>, _ set: PercentEncodeSet) -> String {
        var output: [UInt8] = []
        for byte in bytes {
            if set.contains(byte) { append(byte, to: &output) } else { output.append(byte) }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends bytes as the application/x-www-form-urlencoded serializer does (URL Standard, section 5.2).
    package static func appendFormURLEncoded(_ bytes: [UInt8], to output: inout [UInt8]) {
        for byte in bytes {
            if byte == 0x20 {
                output.append(UInt8(ascii: "+"))
            } else if PercentEncodeSet.formURLEncoded.contains(byte) {
                append(byte, to: &output)
            } else {
                output.append(byte)
            }
        }
    }

    /// Percent-decodes a text (URL Standard, section 1.3).
    package static func decode(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x25, index + 2 < bytes.count, let high = nibble(bytes[index + 1]),
                let low = nibble(bytes[index + 2])
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
