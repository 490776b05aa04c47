import CLibXML2
import Foundation
import TextMatching

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
    /// A name in lower case.
    var scratch: [UInt8] = []
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
        position = min(nextLess, min(nextAmpersand, nextNull))
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
}
