import Encodings

/// A document type declaration. All that matters is whether it puts the page into quirks mode (HTML Standard, section
/// 13.2.6.4.1), in which a table does not close a paragraph.
struct Doctype {
    private let source: Bytes
    private var position: Int
    private(set) var isQuirky = false

    init(_ source: Bytes, at position: Int) {
        self.source = source
        self.position = position
    }

    /// - Returns: the index after the declaration.
    mutating func read() -> Int {
        let close = source[position...].firstIndex(of: UInt8(ascii: ">"))
        skipSpace()
        let name = word()
        skipSpace()
        var identifiers: (public: [UInt8]?, system: [UInt8]?)
        var isWhole = !name.isEmpty && close != nil
        if isWhole, position < source.count, source[position] != UInt8(ascii: ">") {
            switch word() {
            case Array("public".utf8):
                identifiers.public = quoted()
                isWhole = identifiers.public != nil
                if isWhole, let quote = peek(), quote != UInt8(ascii: ">") {
                    identifiers.system = quoted()
                    isWhole = identifiers.system != nil
                }
            case Array("system".utf8):
                identifiers.system = quoted()
                isWhole = identifiers.system != nil
            default: isWhole = false
            }
        }
        isQuirky = !isWhole || name != Array("html".utf8) || Self.isOld(identifiers.public, identifiers.system)
        while position < source.count, source[position] != UInt8(ascii: ">") { position += 1 }
        return min(position + 1, source.count)
    }

    private mutating func skipSpace() {
        while position < source.count, Tokenizer.isSpace(Int(source[position])) { position += 1 }
    }

    private mutating func peek() -> UInt8? {
        skipSpace()
        return position < source.count ? source[position] : nil
    }

    /// Reads a word in lower case.
    private mutating func word() -> [UInt8] {
        var word: [UInt8] = []
        while position < source.count, source[position] != UInt8(ascii: ">"),
            !Tokenizer.isSpace(Int(source[position])), !(word.count == 6 && Self.isQuote(source[position]))
        {
            word.append(source[position].asciiLowercased)
            position += 1
        }
        return word
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// Reads a quoted identifier in lower case. Returns nil when it is missing or does not end.
    private mutating func quoted() -> [UInt8]? {
        guard let quote = peek(), Self.isQuote(quote) else { return nil }
        position += 1
        var text: [UInt8] = []
        while position < source.count, source[position] != quote {
            guard source[position] != UInt8(ascii: ">") else { return nil }
            text.append(source[position].asciiLowercased)
            position += 1
        }
        guard position < source.count else { return nil }
        position += 1
        return text
    }

    private static func isOld(_ publicID: [UInt8]?, _ systemID: [UInt8]?) -> Bool {
        if let systemID, systemID.elementsEqual("http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd".utf8) {
            return true
        }
        guard let publicID else { return false }
        if oldNames.contains(where: { publicID.elementsEqual($0.utf8) }) { return true }
        if oldBeginnings.contains(where: { publicID.starts(with: $0.utf8) }) { return true }
        return systemID == nil && oldWithoutSystem.contains { publicID.starts(with: $0.utf8) }
    }

    private static let oldNames = [
        "-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html",
    ]

    private static let oldWithoutSystem = [
        "-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//",
    ]

    private static let oldBeginnings = [
        "+//silmaril//dtd html pro v0r11 19970101//", "-//as//dtd html 3.0 aswedit + extensions//",
        "-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html 2.0 level 1//",
        "-//ietf//dtd html 2.0 level 2//", "-//ietf//dtd html 2.0 strict level 1//",
        "-//ietf//dtd html 2.0 strict level 2//", "-//ietf//dtd html 2.0 strict//", "-//ietf//dtd html 2.0//",
        "-//ietf//dtd html 2.1e//", "-//ietf//dtd html 3.0//", "-//ietf//dtd html 3.2 final//",
        "-//ietf//dtd html 3.2//", "-//ietf//dtd html 3//", "-//ietf//dtd html level 0//",
        "-//ietf//dtd html level 1//", "-//ietf//dtd html level 2//", "-//ietf//dtd html level 3//",
        "-//ietf//dtd html strict level 0//", "-//ietf//dtd html strict level 1//",
        "-//ietf//dtd html strict level 2//", "-//ietf//dtd html strict level 3//", "-//ietf//dtd html strict//",
        "-//ietf//dtd html//", "-//metrius//dtd metrius presentational//",
        "-//microsoft//dtd internet explorer 2.0 html strict//", "-//microsoft//dtd internet explorer 2.0 html//",
        "-//microsoft//dtd internet explorer 2.0 tables//", "-//microsoft//dtd internet explorer 3.0 html strict//",
        "-//microsoft//dtd internet explorer 3.0 html//", "-//microsoft//dtd internet explorer 3.0 tables//",
        "-//netscape comm. corp.//dtd html//", "-//netscape comm. corp.//dtd strict html//",
        "-//o'reilly and associates//dtd html 2.0//", "-//o'reilly and associates//dtd html extended 1.0//",
        "-//o'reilly and associates//dtd html extended relaxed 1.0//",
        "-//sq//dtd html 2.0 hotmetal + extensions//",
        "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
        "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
        "-//spyglass//dtd html 2.0 extended//", "-//sun microsystems corp.//dtd hotjava html//",
        "-//sun microsystems corp.//dtd hotjava strict html//", "-//w3c//dtd html 3 1995-03-24//",
        "-//w3c//dtd html 3.2 draft//", "-//w3c//dtd html 3.2 final//", "-//w3c//dtd html 3.2//",
        "-//w3c//dtd html 3.2s draft//", "-//w3c//dtd html 4.0 frameset//", "-//w3c//dtd html 4.0 transitional//",
        "-//w3c//dtd html experimental 19960712//", "-//w3c//dtd html experimental 970421//",
        "-//w3c//dtd w3 html//", "-//w3o//dtd w3 html 3.0//", "-//webtechs//dtd mozilla html 2.0//",
        "-//webtechs//dtd mozilla html//",
    ]
}
