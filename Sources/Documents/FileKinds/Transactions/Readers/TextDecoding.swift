/// The text of files that state no encoding, or state it wrongly, as banks' files do.
package enum TextDecoding {
    /// Returns the text as UTF-8 or UTF-16 when a byte order mark says so, as UTF-8 when it is valid UTF-8, and as
    /// windows-1252 otherwise.
    ///
    /// - Throws: `encoding` for bytes that are not text in these.
    package static func text(_ bytes: [UInt8]) throws(ReadingError) -> String {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            guard let text = String(validating: bytes.dropFirst(3), as: UTF8.self) else {
                throw ReadingError(
                    .encoding, "the file says that it is UTF-8, but has bytes that are not; save it again as UTF-8")
            }
            return try withoutNull(text)
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            let isLittle = bytes[0] == 0xFF
            var units: [UInt16] = []
            for index in stride(from: 2, to: bytes.count - 1, by: 2) {
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                units.append(isLittle ? second << 8 | first : first << 8 | second)
            }
            guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
                throw ReadingError(.encoding, "the file begins as UTF-16, but is cut off or damaged; download it again")
            }
            return try withoutNull(text)
        }
        if let text = String(validating: bytes, as: UTF8.self) { return try withoutNull(text) }
        var text = ""
        text.reserveCapacity(bytes.count + bytes.count / 16)
        var line = 1
        for byte in bytes {
            if byte == 0x0A { line += 1 }
            guard let scalar = scalar(of: byte) else {
                throw ReadingError(
                    .encoding, line: line,
                    "the byte 0x\(String(byte, radix: 16)) is text neither in UTF-8 nor in windows-1252; save the file as UTF-8"
                )
            }
            text.unicodeScalars.append(scalar)
        }
        return try withoutNull(text)
    }

    private static func withoutNull(_ text: String) throws(ReadingError) -> String {
        guard !text.utf8.contains(0) else {
            throw ReadingError(.encoding, "the file has zero bytes, so it is not a text file; download it again")
        }
        return text
    }

    private static func scalar(of byte: UInt8) -> Unicode.Scalar? {
        guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
        let code = windows1252[Int(byte) - 0x80]
        return code == 0 ? nil : Unicode.Scalar(code)
    }

    /// The characters of 0x80 to 0x9F (WHATWG Encoding Standard, index windows-1252); 0 for an unassigned byte.
    private static let windows1252: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]
}

extension StringProtocol {
    /// The text with each run of white space and control characters as one space, and none at its ends.
    var folded: String {
        String(self).unicodeScalars.split { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
            .map { String($0) }.joined(separator: " ")
    }

    /// The text without white space and control characters.
    var compact: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { !$0.properties.isWhitespace && $0.properties.generalCategory != .control }))
    }
}
