/// Character references (HTML Standard, section 13.2.5.72 and following).
enum CharacterReference {
    /// Appends the characters of a reference, as UTF-8.
    ///
    /// - Parameter start: the index of the ampersand.
    /// - Returns: the index after the reference; nil when the ampersand is plain text.
    static func decode(
        _ source: UnsafeBufferPointer<UInt8>, at start: Int, inAttribute: Bool, into output: inout [UInt8]
    ) -> Int? {
        guard start + 1 < source.count else { return nil }
        switch source[start + 1] {
        case UInt8(ascii: "#"): return decodeNumber(source, at: start + 2, into: &output)
        case let byte where isAlphanumeric(byte):
            guard let (length, scalars) = NamedReferences.longest(in: source, at: start + 1) else { return nil }
            let end = start + 1 + length
            if inAttribute, source[end - 1] != UInt8(ascii: ";"), end < source.count,
                source[end] == UInt8(ascii: "=") || isAlphanumeric(source[end])
            {
                return nil
            }
            for scalar in scalars { output.append(contentsOf: Unicode.UTF8.encode(scalar)!) }
            return end
        default: return nil
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        Tokenizer.isLetter(Int(byte)) || byte >= 0x30 && byte <= 0x39
    }

    private static func decodeNumber(
        _ source: UnsafeBufferPointer<UInt8>, at start: Int, into output: inout [UInt8]
    ) -> Int? {
        var index = start
        var radix: UInt32 = 10
        if index < source.count, source[index] | 0x20 == UInt8(ascii: "x") {
            radix = 16
            index += 1
        }
        let first = index
        var number: UInt32 = 0
        while index < source.count, let digit = Character(Unicode.Scalar(source[index])).hexDigitValue, digit < radix {
            number = min(number * radix + UInt32(digit), 0x11_0000)
            index += 1
        }
        guard index > first else { return nil }
        if index < source.count, source[index] == UInt8(ascii: ";") { index += 1 }
        output.append(contentsOf: Unicode.UTF8.encode(scalar(number))!)
        return index
    }

    private static func scalar(_ number: UInt32) -> Unicode.Scalar {
        if let windows = windows1252[number] { return windows }
        return number == 0 ? "\u{FFFD}" : Unicode.Scalar(number) ?? "\u{FFFD}"
    }

    /// The windows-1252 characters that old pages mean by the numbers of C1 controls.
    private static let windows1252: [UInt32: Unicode.Scalar] = [
        0x80: "\u{20AC}", 0x82: "\u{201A}", 0x83: "\u{0192}", 0x84: "\u{201E}", 0x85: "\u{2026}", 0x86: "\u{2020}",
        0x87: "\u{2021}", 0x88: "\u{02C6}", 0x89: "\u{2030}", 0x8A: "\u{0160}", 0x8B: "\u{2039}", 0x8C: "\u{0152}",
        0x8E: "\u{017D}", 0x91: "\u{2018}", 0x92: "\u{2019}", 0x93: "\u{201C}", 0x94: "\u{201D}", 0x95: "\u{2022}",
        0x96: "\u{2013}", 0x97: "\u{2014}", 0x98: "\u{02DC}", 0x99: "\u{2122}", 0x9A: "\u{0161}", 0x9B: "\u{203A}",
        0x9C: "\u{0153}", 0x9E: "\u{017E}", 0x9F: "\u{0178}",
    ]
}
