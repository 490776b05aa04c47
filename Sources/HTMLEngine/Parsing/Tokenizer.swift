import CLibXML2
import Foundation

typealias Bytes = UnsafeBufferPointer<UInt8>

/// Takes a page apart into tags and text (HTML Standard, section 13.2.5), for a ``TreeBuilder`` that says what comes next.
///
/// Text comes in runs as it stands in the source; a character reference is a run of its own. Comments come without what
/// they say, for nothing is asked of them.
struct Tokenizer {
    enum Token {
        /// A piece of the source, or nothing.
        case text(Range<Int>)
        /// What ``decoded`` holds.
        case reference
        case null
        case startTag, endTag
        case comment
        case doctype(isQuirky: Bool)
        case end
    }

    /// What text means where the tokenizer is.
    enum Model {
        case data
        /// Text with character references, up to the end tag.
        case rcdata
        case rawText
        case script
        case plaintext
    }

    /// A tag: the one that came last.
    struct TagToken {
        var tag = Tag.other
        var name: InternedName
        var isSelfClosing = false
        var attributes: [Attribute] = []
    }

    struct Attribute {
        let name: InternedName
        var value: Value

        enum Value {
            case source(Range<Int>)
            /// In ``Tokenizer/values``.
            case decoded(Range<Int>)
        }
    }

    static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    let source: Bytes
    var names: NameTable
    var position = 0
    var model = Model.data
    /// The element whose end tag ends its text.
    var awaited: InternedName?
    /// Whether a CDATA section may stand here, which is so inside of SVG and MathML.
    var isForeign = false
    var tag: TagToken
    /// The text of a character reference.
    var decoded: [UInt8] = []
    /// Attributes’ values that are other than in the source.
    var values: [UInt8] = []
    /// More of one element end the parsing.
    let mostAttributes: Int
    var hasTooManyAttributes = false
    /// Up to where a CDATA section goes that was begun.
    var sectionEnd: Int?
    /// Where the script is over that was begun.
    var scriptEnd: Int?
    private var scratch: [UInt8] = []
    /// Where the next of the bytes stands that may end a text: each is looked for once, however much text there is.
    private var nextLess = -1
    private var nextAmpersand = -1
    private var nextNull = -1

    /// - Parameter source: UTF-8 with newlines alone, no carriage returns.
    init(_ source: Bytes, _ names: NameTable, mostAttributes: Int) {
        self.source = source
        self.names = names
        self.mostAttributes = mostAttributes
        tag = TagToken(name: names.empty)
    }

    /// A byte, or -1 beyond the end.
    @inline(__always)
    func byte(_ index: Int) -> Int { index < source.count ? Int(source[index]) : -1 }

    func bytes(_ range: Range<Int>) -> Bytes { Bytes(rebasing: source[range]) }

    func withBytes<Result>(of value: Attribute.Value, _ body: (Bytes) -> Result) -> Result {
        switch value {
        case .source(let range): body(bytes(range))
        case .decoded(let range): values.withUnsafeBufferPointer { body(Bytes(rebasing: $0[range])) }
        }
    }

    /// The value of an attribute of the tag that came last.
    func value(of name: InternedName) -> Attribute.Value? { tag.attributes.first { $0.name == name }?.value }

    mutating func next() -> Token {
        if let end = sectionEnd { return nextInSection(upTo: end) }
        guard position < source.count else { return .end }
        switch model {
        case .data: return nextInData()
        case .rcdata: return nextInText(hasReferences: true)
        case .rawText: return nextInText(hasReferences: false)
        case .script:
            let end = scriptEnd ?? endOfScript()
            scriptEnd = end
            return run(to: end) ?? endTag()
        case .plaintext: return run(to: source.count) ?? .end
        }
    }

    // MARK: Data

    /// Goes to the next place where something other than plain text may begin, or to the page's end.
    mutating func skipPlainText() {
        let rest = position..<source.count
        if nextLess < position { nextLess = place(of: UInt8(ascii: "<"), in: rest) }
        if nextAmpersand < position { nextAmpersand = place(of: UInt8(ascii: "&"), in: rest) }
        if nextNull < position { nextNull = place(of: 0, in: rest) }
        position = min(nextLess, nextAmpersand, nextNull)
    }

    /// Where a byte stands first; the range's end where it does not.
    func place(of byte: UInt8, in range: Range<Int>) -> Int {
        guard let start = source.baseAddress,
            let found = memchr(start + range.lowerBound, Int32(byte), range.count)
        else { return range.upperBound }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    private mutating func nextInData() -> Token {
        let start = position
        while position < source.count {
            skipPlainText()
            guard position < source.count else { break }
            switch source[position] {
            case UInt8(ascii: "<"):
                if position > start { return .text(start..<position) }
                if let token = markup() { return token }
                // What looked like a tag, and is none.
                position = max(position, start + 1)
            case UInt8(ascii: "&"):
                if position > start { return .text(start..<position) }
                if let token = reference() { return token }
                position += 1
            case 0:
                if position > start { return .text(start..<position) }
                position += 1
                return .null
            default: position += 1
            }
        }
        return position > start ? .text(start..<position) : .end
    }

    mutating func reference() -> Token? {
        decoded.removeAll(keepingCapacity: true)
        guard let end = CharacterReference.decode(source, at: position, inAttribute: false, into: &decoded) else {
            return nil
        }
        position = end
        return .reference
    }

    /// What begins with `<`; nil when that is text.
    private mutating func markup() -> Token? {
        switch byte(position + 1) {
        case Int(UInt8(ascii: "!")): return declaration()
        case Int(UInt8(ascii: "/")):
            switch byte(position + 2) {
            case let letter where Self.isLetter(letter):
                position += 2
                return readTag(isEnd: true)
            case Int(UInt8(ascii: ">")):
                position += 3
                return .text(position..<position)
            case -1: return nil
            default: return bogusComment(from: position + 2)
            }
        case Int(UInt8(ascii: "?")): return bogusComment(from: position + 1)
        case let letter where Self.isLetter(letter):
            position += 1
            return readTag(isEnd: false)
        default: return nil
        }
    }

    static func isLetter(_ byte: Int) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

    @inline(__always)
    static func isSpace(_ byte: Int) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0C }

    // MARK: Tags

    mutating func readTag(isEnd: Bool) -> Token {
        let start = position
        var isPlain = true
        while let byte = position < source.count ? source[position] : nil {
            if Self.isSpace(Int(byte)) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") { break }
            if byte == 0 || byte >= 0x41 && byte <= 0x5A { isPlain = false }
            position += 1
        }
        tag.isSelfClosing = false
        tag.attributes.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
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
            switch byte {
            case 0: scratch += Self.replacement
            case 0x41...0x5A: scratch.append(byte | 0x20)
            default: scratch.append(byte)
            }
        }
    }

    /// - Returns: false when the page ends within the tag, which is then none.
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
        // An equals sign at the start is part of the name.
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
        // The page is refused at the end of this tag, however many there still are.
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
        // At the page's end the tag is dropped, with or without its last quote.
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
