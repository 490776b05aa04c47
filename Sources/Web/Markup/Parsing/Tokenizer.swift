import CLibXML2
import Encodings
import Foundation

/// Splits a page into tags and text (HTML Standard, section 13.2.5). The ``TreeBuilder`` sets the state for what comes
/// next.
///
/// Text comes in runs of the source; each character reference is a run of its own. Comments come without their content,
/// which nothing uses.
struct Tokenizer {
    enum Token {
        /// A range of the source, perhaps empty.
        case text(Range<Int>)
        /// The text in ``decoded``.
        case reference
        case null
        case startTag, endTag
        case comment
        case doctype(isQuirky: Bool)
        case end
    }

    /// The content model: how to read text.
    enum Model {
        case data
        /// Text with character references, up to the end tag.
        case rcdata
        case rawText
        case script
        case plaintext
    }

    /// A start or end tag.
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
    /// The element whose end tag ends the text.
    var awaited: InternedName?
    /// True if a CDATA section may begin here: inside SVG and MathML only.
    var isForeign = false
    var tag: TagToken
    /// The text of the last character reference.
    var decoded: [UInt8] = []
    /// Attribute values that differ from the source.
    var values: [UInt8] = []
    /// The limit on the attributes of an element.
    let mostAttributes: Int
    var hasTooManyAttributes = false
    /// The end of the current CDATA section.
    var sectionEnd: Int?
    /// The end of the current script.
    var scriptEnd: Int?
    /// The current name in lower case.
    var scratch: [UInt8] = []
    /// The next positions of the bytes that may end a text. Each byte is searched for once, however much text there is.
    private var nextLess = -1
    private var nextAmpersand = -1
    private var nextNull = -1

    /// - Parameter source: valid UTF-8 without carriage returns.
    init(_ source: Bytes, _ names: NameTable, mostAttributes: Int) {
        self.source = source
        self.names = names
        self.mostAttributes = mostAttributes
        tag = TagToken(name: names.empty)
    }

    /// Returns a byte, or -1 beyond the end.
    @inline(__always)
    func byte(_ index: Int) -> Int { index < source.count ? Int(source[index]) : -1 }

    func bytes(_ range: Range<Int>) -> Bytes { Bytes(rebasing: source[range]) }

    func withBytes<Result>(of value: Attribute.Value, _ body: (Bytes) -> Result) -> Result {
        switch value {
        case .source(let range): body(bytes(range))
        case .decoded(let range): values.withUnsafeBufferPointer { body(Bytes(rebasing: $0[range])) }
        }
    }

    /// Returns the value of an attribute of the last tag.
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

    /// Moves to the next byte that may begin something other than plain text, or to the end of the page.
    mutating func skipPlainText() {
        let rest = position..<source.count
        if nextLess < position { nextLess = place(of: UInt8(ascii: "<"), in: rest) }
        if nextAmpersand < position { nextAmpersand = place(of: UInt8(ascii: "&"), in: rest) }
        if nextNull < position { nextNull = place(of: 0, in: rest) }
        position = min(nextLess, min(nextAmpersand, nextNull))
    }

    /// Returns the first index of a byte in a range, or the range's end.
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
                // It only looked like a tag.
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

    /// Reads markup that begins with `<`. Returns nil when it is text.
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
}
