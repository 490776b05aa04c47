extension JSONPathParser {
    /// Reads a string in single or double quotes (RFC 9535, section 2.3.1.1).
    mutating func string() throws(JSONPathError) -> String {
        let start = position
        guard let quote = current else { throw error("expected a string") }
        position += 1
        var result = String.UnicodeScalarView()
        while let scalar = current {
            if scalar == quote {
                position += 1
                return String(result)
            }
            guard scalar.value >= 0x20 else { throw error("a control character in a string is written as an escape") }
            position += 1
            result.append(scalar == "\\" ? try escape(in: quote) : scalar)
        }
        throw error("the string is not closed", at: start)
    }

    private mutating func escape(in quote: Unicode.Scalar) throws(JSONPathError) -> Unicode.Scalar {
        let start = position - 1
        guard let scalar = current else { throw error("the string is not closed", at: start) }
        position += 1
        switch scalar {
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "/", "\\", quote: return scalar
        case "u": return try unicodeEscape(at: start)
        default: throw error("“\\\(scalar)” is not an escape", at: start)
        }
    }

    private mutating func unicodeEscape(at start: Int) throws(JSONPathError) -> Unicode.Scalar {
        let unit = try hexUnit(at: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, take("\\"), take("u") else { throw error("half a surrogate pair", at: start) }
        let low = try hexUnit(at: start)
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("half a surrogate pair", at: start) }
        return scalar
    }

    private mutating func hexUnit(at start: Int) throws(JSONPathError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = current, let digit = Character(scalar).hexDigitValue, scalar.isASCII else {
                throw error("“\\u” needs four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}
