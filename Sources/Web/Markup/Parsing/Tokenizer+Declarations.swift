import Encodings

/// Markup that begins with `<!` or `<?`: document types, comments and CDATA sections (HTML Standard, sections 13.2.5.41
/// to 13.2.5.71).
extension Tokenizer {
    mutating func declaration() -> Token {
        let start = position + 2
        if byte(start) == 0x2D, byte(start + 1) == 0x2D {
            position = endOfComment(from: start + 2)
            return .comment
        }
        if starts("doctype", at: start) {
            var doctype = Doctype(source, at: start + 7)
            position = doctype.read()
            return .doctype(isQuirky: doctype.isQuirky)
        }
        if isForeign, bytes(start..<min(start + 7, source.count)).elementsEqual("[CDATA[".utf8) {
            position = start + 7
            let end =
                Self.sectionEnding.withUnsafeBufferPointer { source.firstOffset(of: $0, from: position) }
                ?? source.count
            sectionEnd = end
            return nextInSection(upTo: end)
        }
        return bogusComment(from: start)
    }

    private static let sectionEnding = Array("]]>".utf8)

    private func starts(_ word: StaticString, at index: Int) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            let byte = byte(index + offset)
            guard Self.isLetter(byte), byte | 0x20 == Int(word.utf8Start[offset]) else { return false }
        }
        return true
    }

    mutating func nextInSection(upTo end: Int) -> Token {
        guard position < end else {
            sectionEnd = nil
            position = min(end + 3, source.count)
            return .text(position..<position)
        }
        if source[position] == 0 {
            position += 1
            return .null
        }
        let start = position
        position = place(of: 0, in: start..<end)
        return .text(start..<position)
    }

    mutating func bogusComment(from start: Int) -> Token {
        guard start < source.count else {
            position = source.count
            return .comment
        }
        position = min(place(of: UInt8(ascii: ">"), in: start..<source.count) + 1, source.count)
        return .comment
    }

    /// Returns the index after a comment whose text begins at an index (section 13.2.5.43 and following).
    private func endOfComment(from start: Int) -> Int {
        if byte(start) == 0x3E { return start + 1 }
        if byte(start) == 0x2D, byte(start + 1) == 0x3E { return start + 2 }
        var index = start
        while index + 1 < source.count {
            guard source[index] == 0x2D, source[index + 1] == 0x2D else {
                index += 1
                continue
            }
            index += 2
            while byte(index) == 0x2D { index += 1 }
            if byte(index) == 0x3E { return index + 1 }
            if byte(index) == 0x21, byte(index + 1) == 0x3E { return index + 2 }
        }
        return source.count
    }
}
