extension JSONScanner {
    /// Reads a string (RFC 8259, section 7). The result is well-formed Unicode without noncharacters (RFC 7493, section 2.1).
    mutating func string() throws(JSONError) -> String {
        position += 1
        var result: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                let scalar = try escape()
                result.append(contentsOf: Array(String(Character(scalar)).utf8))
            case 0..<0x20 where !isForeign:
                throw failure(.syntax, "\(seen) in a string; control characters are written as \\u00XX")
            case 0..<0x80:
                result.append(byte)
                position += 1
            default:
                try copyScalar(into: &result)
            }
        }
        throw failure(.syntax, "the string is not closed")
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        position += 1
        guard position < bytes.count else { throw failure(.syntax, "the string is not closed") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default:
            position -= 1
            throw failure(.syntax, "\(seen) after “\\”")
        }
    }

    private mutating func unicodeEscape(from start: Int) throws(JSONError) -> Unicode.Scalar {
        var code = try fourHexDigits()
        if isForeign, let half = halfOfPair(code) { return half }
        if (0xD800...0xDBFF).contains(code) {
            guard accept(UInt8(ascii: "\\")), accept(UInt8(ascii: "u")) else {
                position = start
                throw failure(.notIJSON, "half of a surrogate pair stands alone")
            }
            let low = try fourHexDigits()
            guard (0xDC00...0xDFFF).contains(low) else {
                position = start
                throw failure(.notIJSON, "half of a surrogate pair stands alone")
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code), isForeign || !scalar.isNoncharacter else {
            position = start
            throw failure(.notIJSON, "U+\(String(code, radix: 16, uppercase: true)) is not a character")
        }
        return scalar
    }

    /// Returns what a surrogate without its other half becomes; nil for any other code.
    private func halfOfPair(_ code: UInt32) -> Unicode.Scalar? {
        guard (0xD800...0xDFFF).contains(code) else { return nil }
        guard code < 0xDC00, bytes[position...].starts(with: "\\u".utf8) else { return "\u{FFFD}" }
        let digits = String(decoding: bytes[position...].dropFirst(2).prefix(4), as: UTF8.self)
        guard let low = UInt32(digits, radix: 16), digits.utf8.count == 4 else { return "\u{FFFD}" }
        return (0xDC00...0xDFFF).contains(low) ? nil : "\u{FFFD}"
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue,
                bytes[position] < 0x80
            else { throw failure(.syntax, "\(seen) where a hexadecimal digit was expected") }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    /// Reads one scalar of two to four bytes, well-formed by table 3-7 of the Unicode standard.
    private mutating func copyScalar(into result: inout [UInt8]) throws(JSONError) {
        var iterator = bytes[position...].prefix(4).makeIterator()
        var decoder = UTF8()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
            throw failure(.syntax, "\(seen) is not UTF-8 here")
        }
        guard isForeign || !scalar.isNoncharacter else {
            throw failure(.notIJSON, "U+\(String(scalar.value, radix: 16, uppercase: true)) is not a character")
        }
        let width = UTF8.width(scalar)
        result.append(contentsOf: bytes[position..<position + width])
        position += width
    }
}

extension Unicode.Scalar {
    var isNoncharacter: Bool { value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value) }
}
