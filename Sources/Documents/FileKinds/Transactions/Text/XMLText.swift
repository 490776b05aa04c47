/// XML whose declaration or start is not what a parser accepts, as some banks write it.
enum XMLText {
    /// Returns bytes that a parser of XML accepts, and a sentence when an encoding was guessed.
    ///
    /// White space before the declaration, zero bytes at the end, a stated encoding that the bytes are not in, and code
    /// pages that parsers do not know are mended. Lines keep their numbers.
    ///
    /// - Throws: `encoding`.
    static func mended(_ bytes: [UInt8], page: CodePage?) throws(ReadingError) -> (bytes: [UInt8], note: String?) {
        let whole = TextDecoding.withoutPadding(bytes)
        // UTF-16 with its mark, which parsers know.
        guard !whole.prefix(4).contains(0), !whole.starts(with: [0xFF, 0xFE]), !whole.starts(with: [0xFE, 0xFF]) else {
            return (whole, nil)
        }
        // A text of ASCII needs no copy to be known as UTF-8.
        let isUTF8 = whole.reduce(0, |) < 0x80 || String(validating: whole, as: UTF8.self) != nil
        let start = whole.firstIndex { $0 == UInt8(ascii: "<") } ?? 0
        let declaration = declaration(whole, at: start)
        let stated = declaration.flatMap { encoding(whole[$0]) } ?? "utf-8"
        if isUTF8, stated == "utf-8" || stated == "us-ascii", declaration == nil || start == 0 { return (whole, nil) }
        var (result, note) = (whole, nil as String?)
        if !isUTF8 {
            let (text, sentence) = try TextDecoding.decoded(whole, page: page)
            (result, note) = (Array(text.utf8), sentence)
        }
        if result.starts(with: [0xEF, 0xBB, 0xBF]) { result.removeFirst(3) }
        // A declaration has ASCII alone before it, so it stands where it stood.
        let place = result.firstIndex { $0 == UInt8(ascii: "<") } ?? 0
        if let range = Self.declaration(result, at: place) {
            for index in range where result[index] != 0x0A { result[index] = 0x20 }
        }
        return (result, note)
    }

    /// The range of `<?xml …?>`.
    private static func declaration(_ bytes: [UInt8], at start: Int) -> Range<Int>? {
        guard bytes[start...].starts(with: "<?xml".utf8) else { return nil }
        let end = bytes[start...].prefix(300).firstIndex(of: UInt8(ascii: ">"))
        return end.map { start..<($0 + 1) }
    }

    private static func encoding(_ declaration: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: declaration, as: UTF8.self).lowercased()
        guard let start = text.firstRange(of: "encoding")?.upperBound else { return nil }
        let name = text[start...].drop { $0 != "\"" && $0 != "'" }.dropFirst()
        return String(name.prefix { $0 != "\"" && $0 != "'" })
    }
}
