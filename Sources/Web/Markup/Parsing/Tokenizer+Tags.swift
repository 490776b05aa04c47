import CLibXML2
import Encodings

/// Tags, from the name on (HTML Standard, sections 13.2.5.8 and 13.2.5.32 to 13.2.5.40).
extension Tokenizer {
    mutating func readTag(isEnd: Bool) -> Token {
        let start = position
        var isPlain = true
        while let byte = position < source.count ? source[position] : nil {
            if Self.isSpace(Int(byte)) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") { break }
            if byte == 0 || byte >= 0x41 && byte <= 0x5A { isPlain = false }
            position += 1
        }
        tag.isSelfClosing = false
        // Most tags have none, and removing nothing takes time too.
        if !tag.attributes.isEmpty { tag.attributes.removeAll(keepingCapacity: true) }
        if !values.isEmpty { values.removeAll(keepingCapacity: true) }
        if isPlain {
            (tag.tag, tag.name) = names.look(up: bytes(start..<position))
        } else {
            lower(start..<position)
            (tag.tag, tag.name) = scratch.withUnsafeBufferPointer { names.look(up: $0) }
        }
        guard readAttributes() else { return .end }
        return isEnd ? .endTag : .startTag
    }

    private mutating func lower(_ range: Range<Int>) {
        scratch.removeAll(keepingCapacity: true)
        for byte in source[range] {
            if byte == 0 { scratch += Self.replacement } else { scratch.append(byte.asciiLowercased) }
        }
    }

    /// - Returns: false when the page ends within the tag, which then does not count.
    private mutating func readAttributes() -> Bool {
        while true {
            while Self.isSpace(byte(position)) { position += 1 }
            switch byte(position) {
            case -1: return false
            case Int(UInt8(ascii: ">")):
                position += 1
                return true
            case Int(UInt8(ascii: "/")):
                position += 1
                if byte(position) == Int(UInt8(ascii: ">")) {
                    position += 1
                    tag.isSelfClosing = true
                    return true
                }
            default: readAttribute()
            }
        }
    }

    private mutating func readAttribute() {
        let start = position
        var isPlain = true
        // An equals sign at the start belongs to the name.
        repeat {
            let byte = source[position]
            if byte == 0 || byte >= 0x41 && byte <= 0x5A { isPlain = false }
            position += 1
        } while position < source.count && !Self.endsName(source[position])
        let name: InternedName
        if isPlain {
            name = names.intern(bytes(start..<position))
        } else {
            lower(start..<position)
            name = scratch.withUnsafeBufferPointer { names.intern($0) }
        }
        while Self.isSpace(byte(position)) { position += 1 }
        var value = Attribute.Value.source(position..<position)
        if byte(position) == Int(UInt8(ascii: "=")) {
            position += 1
            value = readValue()
        }
        // The whole page is refused after this tag, however many attributes follow.
        guard !hasTooManyAttributes, !tag.attributes.contains(where: { $0.name == name }) else { return }
        guard tag.attributes.count < mostAttributes else {
            hasTooManyAttributes = true
            return
        }
        tag.attributes.append(Attribute(name: name, value: value))
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        isSpace(Int(byte)) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "=")
    }

    private mutating func readValue() -> Attribute.Value {
        while Self.isSpace(byte(position)) { position += 1 }
        let quote = byte(position)
        let isQuoted = quote == Int(UInt8(ascii: "\"")) || quote == Int(UInt8(ascii: "'"))
        if isQuoted { position += 1 }
        let start = position
        var isPlain = true
        while position < source.count {
            let byte = source[position]
            if isQuoted ? Int(byte) == quote : Self.isSpace(Int(byte)) || byte == UInt8(ascii: ">") { break }
            if byte == UInt8(ascii: "&") || byte == 0 { isPlain = false }
            position += 1
        }
        let range = start..<position
        // At the end of the page the tag is dropped, with or without its closing quote.
        if isQuoted, position < source.count { position += 1 }
        return isPlain ? .source(range) : .decoded(decode(range))
    }

    private mutating func decode(_ range: Range<Int>) -> Range<Int> {
        let start = values.count
        let piece = Bytes(rebasing: source[..<range.upperBound])
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = source[index]
            if byte == UInt8(ascii: "&"),
                let end = CharacterReference.decode(piece, at: index, inAttribute: true, into: &values)
            {
                index = end
                continue
            }
            if byte == 0 { values += Self.replacement } else { values.append(byte) }
            index += 1
        }
        return start..<values.count
    }
}
