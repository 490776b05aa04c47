/// The text of files that state no encoding, or state it wrongly, as banks' files do.
package enum TextDecoding {
    /// Returns the text: as UTF-8 or UTF-16 when a byte order mark or zero bytes say so, as UTF-8 when it is valid UTF-8,
    /// then in the code page that the file's header states, and otherwise in the one whose letters make words.
    ///
    /// - Throws: `encoding` for bytes that are not text in these.
    package static func text(_ bytes: [UInt8]) throws(ReadingError) -> String {
        try decoded(bytes).text
    }

    /// Returns the text as ``text(_:)`` does, and a sentence when its code page was guessed.
    ///
    /// - Parameter page: the page that the person gave, for a file that is neither UTF-8 nor UTF-16.
    static func decoded(
        _ bytes: [UInt8], page: CodePage? = nil
    ) throws(ReadingError) -> (text: String, note: String?) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            guard let text = String(validating: bytes.dropFirst(3), as: UTF8.self) else {
                throw ReadingError(
                    .encoding, "the file says that it is UTF-8, but has bytes that are not; save it again as UTF-8")
            }
            return (try withoutNull(text), nil)
        }
        if let units = utf16(bytes) {
            guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
                throw ReadingError(.encoding, "the file begins as UTF-16, but is cut off or damaged; download it again")
            }
            return (try withoutNull(text), nil)
        }
        let bytes = withoutPadding(bytes)
        if let text = String(validating: bytes, as: UTF8.self) { return (try withoutNull(text), nil) }
        if let known = page ?? statedPage(bytes) {
            // Files that state ISO 8859-1 are in windows-1252 (WHATWG Encoding Standard, names and labels).
            let pages = known == .latin1 ? [.windows1252, known] : [known]
            if let text = pages.lazy.compactMap({ text(bytes, $0) }).first { return (try withoutNull(text), nil) }
        }
        if page == nil, let (text, line) = mostlyUTF8(bytes) {
            let note =
                "line \(line): a character is cut off, and is written as “\u{FFFD}”; the rest of the file is UTF-8"
            return (try withoutNull(text), note)
        }
        let guess = CodePageGuess(bytes)
        guard let page = guess.page, let text = text(bytes, page) else {
            let place = bytes.firstIndex { $0 >= 0x80 } ?? 0
            throw ReadingError(
                .encoding, line: bytes[..<place].count { $0 == 0x0A } + 1,
                "the byte 0x\(String(bytes[place], radix: 16)) is text neither in UTF-8 nor in a code page that is known; save the file as UTF-8"
            )
        }
        let note =
            page == .windows1252 && guess.isCertain
            ? nil
            : "the file states no encoding; its letters make words in \(page.rawValue). Name another with --encoding"
        return (try withoutNull(text), note)
    }

    /// Returns the text of bytes that are UTF-8 but for a few characters, as a bank leaves it that shortens texts by bytes,
    /// and the line of the first of them. In a code page, hardly two bytes look like a letter of UTF-8.
    private static func mostlyUTF8(_ bytes: [UInt8]) -> (text: String, line: Int)? {
        let text = String(decoding: bytes, as: UTF8.self)
        var (letters, faults) = (0, 0)
        var line = 1
        var firstLine: Int?
        for scalar in text.unicodeScalars where scalar.value >= 0x80 || scalar == "\n" {
            switch scalar.value {
            case 0x0A: line += 1
            case 0xFFFD:
                faults += 1
                firstLine = firstLine ?? line
            case 0xA0..<0x600, 0x1E00..<0x2000, 0x2010..<0x2040, 0x20A0..<0x20C0: letters += 1
            // Letters of no bank's language are chance.
            default: return nil
            }
        }
        guard let firstLine, letters > 0, letters >= faults else { return nil }
        return (text, firstLine)
    }

    /// Returns the bytes without the zero bytes, and the end mark of old systems (0x1A), that some programs add.
    static func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
        // In UTF-16 every second byte may be zero.
        guard let last = bytes.last, last == 0 || last == 0x1A, !bytes.prefix(4).contains(0) else { return bytes }
        return Array(bytes[...(bytes.lastIndex { $0 != 0 && $0 != 0x1A } ?? 0)])
    }

    /// The code page in the header of OFX, `CHARSET:1251`, or in an XML declaration.
    private static func statedPage(_ bytes: [UInt8]) -> CodePage? {
        let head = String(decoding: bytes.prefix(600), as: UTF8.self)
        if head.contains("OFXHEADER:") {
            let line = head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("CHARSET:") }
            return line.flatMap { CodePage(named: $0.dropFirst(8).folded) }
        }
        guard head.folded.hasPrefix("<?xml"), let start = head.firstRange(of: "encoding=")?.upperBound else {
            return nil
        }
        let name = head[start...].dropFirst().prefix { $0 != "\"" && $0 != "'" }
        return CodePage(named: String(name))
    }

    /// The code units of UTF-16, by its mark, or by the zero bytes of its ASCII characters.
    private static func utf16(_ bytes: [UInt8]) -> [UInt16]? {
        let isLittle: Bool
        var start = 2
        if bytes.starts(with: [0xFF, 0xFE]) {
            isLittle = true
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            isLittle = false
        } else {
            let head = bytes.prefix(400)
            let zeros = head.indices.filter { head[$0] == 0 }
            let odd = zeros.count { $0 % 2 == 1 }
            guard head.count >= 8, max(odd, zeros.count - odd) * 3 >= head.count, min(odd, zeros.count - odd) == 0
            else {
                return nil
            }
            (isLittle, start) = (odd > 0, 0)
        }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: start, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isLittle ? second << 8 | first : first << 8 | second)
        }
        return units
    }

    /// Returns the text in a code page; nil when a byte has no character there.
    private static func text(_ bytes: [UInt8], _ page: CodePage) -> String? {
        let upper = page.upperHalf
        var text = ""
        text.reserveCapacity(bytes.count + bytes.count / 16)
        for byte in bytes {
            guard byte >= 0x80 else {
                text.unicodeScalars.append(Unicode.Scalar(byte))
                continue
            }
            let scalar = upper[Int(byte) - 0x80]
            guard scalar != "\u{FFFD}" else { return nil }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    private static func withoutNull(_ text: String) throws(ReadingError) -> String {
        guard !text.hasByte(0) else {
            throw ReadingError(.encoding, "the file has zero bytes, so it is not a text file; download it again")
        }
        return text
    }
}

extension StringProtocol {
    /// The text with each run of white space and control characters as one space, and none at its ends.
    var folded: String {
        // Most texts have no run of white space. That of Unicode begins with one of four bytes, which the letters of Europe
        // do not begin with.
        var before: UInt8 = 0x20
        var isPlain = true
        for byte in utf8 {
            guard byte > 0x20 || byte == 0x20 && before != 0x20, byte != 0x7F, byte != 0xC2, byte < 0xE1 || byte > 0xE3
            else {
                isPlain = false
                break
            }
            before = byte
        }
        if isPlain, before != 0x20 || isEmpty { return String(self) }
        return String(self).unicodeScalars.split { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
            .map { String($0) }.joined(separator: " ")
    }

    /// Returns whether a byte is in the text as UTF-8. Bytes in one place are compared sooner than those of a text.
    func hasByte(_ byte: UInt8) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.contains(byte) } ?? utf8.contains(byte)
    }

    /// The lines, as LF, CR LF or CR ends them. Bytes are compared: a search for characters takes longer.
    var lines: [SubSequence] {
        var lines: [SubSequence] = []
        var start = startIndex
        var index = startIndex
        while index < endIndex {
            let byte = utf8[index]
            let next = utf8.index(after: index)
            guard byte == 0x0A || byte == 0x0D else {
                index = next
                continue
            }
            lines.append(self[start..<index])
            index = byte == 0x0D && next < endIndex && utf8[next] == 0x0A ? utf8.index(after: next) : next
            start = index
        }
        lines.append(self[start..<endIndex])
        return lines
    }

    /// The text without white space and control characters.
    var compact: String {
        if utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return String(self) }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.filter { !$0.properties.isWhitespace && $0.properties.generalCategory != .control }))
    }
}
