import CLibXML2

/// Text that only its own end tag ends: in `title`, `style`, `script` and the like (HTML Standard, sections 13.2.5.2 to
/// 13.2.5.31).
extension Tokenizer {
    mutating func nextInText(hasReferences: Bool) -> Token {
        let start = position
        while position < source.count {
            skipPlainText()
            guard position < source.count else { break }
            switch source[position] {
            case UInt8(ascii: "<") where isAwaitedEndTag(at: position):
                return run(to: position, from: start) ?? endTag()
            case UInt8(ascii: "&") where hasReferences:
                if position > start { return .text(start..<position) }
                if let token = reference() { return token }
                position += 1
            case 0: return run(to: position, from: start) ?? replaced()
            default: position += 1
            }
        }
        return .text(start..<position)
    }

    /// Returns the text up to an index, or nil when it is empty.
    mutating func run(to end: Int, from start: Int? = nil) -> Token? {
        let start = start ?? position
        guard start < end else { return nil }
        let null = place(of: 0, in: start..<end)
        if null < end {
            guard null > start else { return replaced() }
            position = null
            return .text(start..<null)
        }
        position = end
        return .text(start..<end)
    }

    /// Replaces a NUL by U+FFFD.
    mutating func replaced() -> Token {
        position += 1
        decoded = Self.replacement
        return .reference
    }

    mutating func endTag() -> Token {
        guard position < source.count else { return .end }
        model = .data
        scriptEnd = nil
        position += 2
        return readTag(isEnd: true)
    }

    private func isAwaitedEndTag(at index: Int) -> Bool {
        guard byte(index + 1) == Int(UInt8(ascii: "/")), let awaited else { return false }
        return isName(awaited, at: index + 2)
    }

    /// Returns whether a name stands at an index, in any case, and ends there.
    private func isName(_ name: InternedName, at index: Int) -> Bool {
        var length = 0
        while name[length] != 0 {
            let byte = byte(index + length)
            guard byte | (Self.isLetter(byte) ? 0x20 : 0) == Int(name[length]) else { return false }
            length += 1
        }
        let after = byte(index + length)
        return Self.isSpace(after) || after == Int(UInt8(ascii: "/")) || after == Int(UInt8(ascii: ">"))
    }

    /// Returns the index of a script's end tag, or the end of the page. Inside a comment, `<script>` hides the next end
    /// tag (section 13.2.5.15 and following).
    func endOfScript() -> Int {
        let script = names.script
        var index = position
        /// The index of the comment's first two dashes.
        var comment: Int?
        var isDoubled = false
        while index < source.count {
            switch source[index] {
            case UInt8(ascii: "<"):
                if !isDoubled, isAwaitedEndTag(at: index) { return index }
                if comment == nil {
                    if byte(index + 1) == 0x21, byte(index + 2) == 0x2D, byte(index + 3) == 0x2D {
                        comment = index + 2
                        index += 3
                    }
                } else if isDoubled {
                    if byte(index + 1) == 0x2F, isName(script, at: index + 2) { isDoubled = false }
                } else if isName(script, at: index + 1) {
                    isDoubled = true
                }
            case UInt8(ascii: ">"):
                if let start = comment, index - 2 >= start, source[index - 1] == 0x2D, source[index - 2] == 0x2D {
                    comment = nil
                    isDoubled = false
                }
            default: break
            }
            index += 1
        }
        return source.count
    }
}
