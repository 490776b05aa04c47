import Markup

/// The SGML of OFX 1: tags around aggregates, and before values without an end tag.
///
/// Source: Open Financial Exchange 1.6, section 2.3. End tags of values, which many banks write, are accepted, also
/// late or misspelt ones, and so is a `<` in a text. A document type or a declaration is refused.
struct OFXMarkup {
    private let bytes: [UInt8]
    private let limits: ReadingLimits
    private var index = 0
    private var line = 1
    private var open: [MarkupElement] = []
    private var hasRoot = false
    /// The texts that were passed over, with their lines.
    private(set) var oddities: [(line: Int, sentence: String)] = []

    init(_ text: String, limits: ReadingLimits) {
        bytes = Array(text.utf8)
        self.limits = limits
    }

    /// Calls `finished` for each element at its end. One for which it returns true is not kept by its parent.
    mutating func read(_ finished: (MarkupElement) throws(ReadingError) -> Bool) throws(ReadingError) {
        // The header lines before the first tag, such as OFXHEADER:100.
        advance(past: firstTag())
        while index < bytes.count {
            if starts(with: "<!--") {
                advance(past: try end(of: "-->", from: index))
            } else if starts(with: "<!"), !starts(with: "<![CDATA[") {
                throw ReadingError(
                    .forbidden, line: line, "a declaration (<!…) is not allowed in an OFX file; remove it")
            } else if starts(with: "<?") {
                advance(past: try end(of: "?>", from: index))
            } else if starts(with: "</"), isTag(index) {
                let name = try tagName(from: index + 2)
                try close(name, finished)
            } else if isTag(index) {
                try begin(finished)
            } else {
                let text = try value()
                if !text.isEmpty {
                    oddities.append((line, "\(ReadingError.quoted(text)) stands outside a field, and is left out"))
                }
            }
        }
        if let unclosed = open.first(where: { !$0.children.isEmpty }) ?? open.first {
            throw ReadingError(
                .syntax, line: line,
                "the file ends inside <\(unclosed.name)> of line \(unclosed.line); it is cut off, so download it again")
        }
        guard hasRoot else { throw ReadingError(.syntax, line: line, "the file has no <OFX>; it may be cut off") }
    }

    private mutating func begin(_ finished: (MarkupElement) throws(ReadingError) -> Bool) throws(ReadingError) {
        let start = line
        let isEmpty =
            bytes[index...].prefix(80).firstIndex(of: UInt8(ascii: ">")).map { bytes[$0 - 1] == 0x2F } ?? false
        let name = try tagName(from: index + 1)
        let element = MarkupElement(name: name, line: start)
        guard hasRoot || name == "OFX" else {
            throw ReadingError(.wrongKind, line: start, "the first tag is <\(name)>, not <OFX>")
        }
        hasRoot = true
        if name == "STMTTRN", let place = open.lastIndex(where: { $0.name == name }) {
            while open.count > place { try closeInnermost(finished) }
        }
        if isEmpty { return try keep(element, finished) }
        let text = try value()
        guard !text.isEmpty else {
            guard open.count < limits.depth else {
                throw ReadingError(.tooDeep, line: start, "<\(name)> is nested deeper than \(limits.depth) elements")
            }
            return open.append(element)
        }
        element.text = text
        try keep(element, finished)
        if starts(with: "</\(name)>") { _ = try tagName(from: index + 2) }
    }

    /// Ends the innermost open element with the name. Elements still open inside it were values without text, whose tags look
    /// like an aggregate's: their children belong to this element.
    private mutating func close(
        _ name: String, _ finished: (MarkupElement) throws(ReadingError) -> Bool
    ) throws(ReadingError) {
        // Some banks end a <CCSTMTRS> with </STMTRS>.
        let place =
            open.lastIndex { $0.name == name }
            ?? open.lastIndex { $0.children.count > 1 && ($0.name.hasSuffix(name) || name.hasSuffix($0.name)) }
        guard let place else {
            guard !Self.aggregates.contains(name) else {
                throw ReadingError(
                    .syntax, line: line, "</\(name)> ends nothing; the file is damaged, so download it again")
            }
            // The late end of a value, or the end of one under another name.
            return
        }
        while open.count > place + 1 { try closeInnermost(finished) }
        let element = open.removeLast()
        try keep(element, finished)
    }

    /// Ends the innermost open element, which has no end tag of its own.
    private mutating func closeInnermost(
        _ finished: (MarkupElement) throws(ReadingError) -> Bool
    ) throws(ReadingError) {
        let element = open.removeLast()
        guard !Self.aggregates.contains(element.name) || element.children.isEmpty else {
            // A bank that leaves out </STMTTRN> means the transaction nevertheless.
            oddities.append((element.line, "<\(element.name)> has no end, and is taken to end with what is around it"))
            return try keep(element, finished)
        }
        let children = element.children
        element.children = []
        open.last?.children.append(element)
        open.last?.children += children
    }

    private func keep(
        _ element: MarkupElement, _ finished: (MarkupElement) throws(ReadingError) -> Bool
    ) throws(ReadingError) {
        if try finished(element) { return }
        guard let parent = open.last else { return }
        guard parent.children.count < 100_000 else {
            throw ReadingError(.tooLarge, line: line, "<\(parent.name)> has more than 100000 parts")
        }
        parent.children.append(element)
    }

    /// Elements whose end without a start means that a part of the file is missing.
    private static let aggregates: Set<String> = [
        "OFX", "STMTTRN", "BANKTRANLIST", "STMTRS", "CCSTMTRS", "STMTTRNRS", "CCSTMTTRNRS", "LEDGERBAL",
        "BANKMSGSRSV1", "CREDITCARDMSGSRSV1", "BANKACCTFROM", "CCACCTFROM",
    ]

    /// Returns whether a tag begins here: a `<`, a name, and a `>`. Otherwise the `<` is text.
    private func isTag(_ place: Int) -> Bool {
        guard bytes[place] == UInt8(ascii: "<") else { return false }
        var rest = bytes[(place + 1)...].prefix(72)
        if rest.first == 0x2F { rest = rest.dropFirst() }
        let name = rest.prefix { Self.isNamePart($0) }
        rest = rest.dropFirst(name.count).drop { $0 == 0x20 }
        if rest.first == 0x2F { rest = rest.dropFirst() }
        return !name.isEmpty && rest.first == UInt8(ascii: ">")
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2E
            || byte == 0x5F || byte == 0x2D
    }

    /// Reads a name up to `>`, and moves past it.
    private mutating func tagName(from start: Int) throws(ReadingError) -> String {
        let end = try end(of: ">", from: start) - 1
        let name = bytes[min(start, end)..<end].prefix { $0 != 0x20 && $0 != 0x2F }
        guard !name.isEmpty, name.count <= 64, name.allSatisfy(Self.isNamePart) else {
            throw ReadingError(
                .syntax, line: line,
                "\(ReadingError.quoted(String(decoding: name.prefix(60), as: UTF8.self))) is not a tag of OFX")
        }
        advance(past: end + 1)
        return String(decoding: name, as: UTF8.self).uppercased()
    }

    /// Reads text up to the next tag, with its character references decoded.
    private mutating func value() throws(ReadingError) -> String {
        let start = index
        var text: [UInt8] = []
        while index < bytes.count, !isTag(index) {
            if bytes[index] == UInt8(ascii: "<"), starts(with: "<![CDATA[") {
                let end = try end(of: "]]>", from: index)
                text += bytes[(index + 9)..<(end - 3)]
                advance(past: end)
            } else if bytes[index] == UInt8(ascii: "<"), starts(with: "<!") || starts(with: "<?") {
                break
            } else if bytes[index] == UInt8(ascii: "&"), let (character, length) = reference() {
                text += Array(character.utf8)
                index += length
            } else {
                if bytes[index] == 0x0A { line += 1 }
                text.append(bytes[index])
                index += 1
            }
            guard index - start <= limits.text else {
                throw ReadingError(.tooLarge, line: line, "a value is longer than \(limits.text) bytes")
            }
        }
        return String(decoding: text, as: UTF8.self).folded
    }

    /// A character reference at the index. Banks also write a bare “&”, which stays what it is.
    private func reference() -> (String, Int)? {
        for (name, character) in Self.entities where starts(with: name) {
            return (character, name.utf8.count)
        }
        guard starts(with: "&#"), let end = bytes[index...].prefix(10).firstIndex(of: UInt8(ascii: ";")),
            let number = CalendarDay.number(bytes[(index + 2)..<end]), number >= 0x20,
            let scalar = UInt32(exactly: number).flatMap(Unicode.Scalar.init)
        else { return nil }
        return (String(scalar), end + 1 - index)
    }

    /// The entities of the specification, and those of HTML that banks write instead of letters.
    private static let entities: [(String, String)] =
        [
            ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&quot;", "\""), ("&apos;", "'"),
            ("&euro;", "€"), ("&pound;", "£"), ("&szlig;", "ß"), ("&ccedil;", "ç"), ("&Ccedil;", "Ç"), ("&aring;", "å"),
            ("&Aring;", "Å"), ("&aelig;", "æ"), ("&AElig;", "Æ"), ("&oslash;", "ø"), ("&Oslash;", "Ø"), ("&ordf;", "ª"),
            ("&ordm;", "º"), ("&deg;", "°"),
        ]
        + zip("aeiouAEIOU", ["áàâäã", "éèêë", "íìîï", "óòôöõ", "úùûü", "ÁÀÂÄÃ", "ÉÈÊË", "ÍÌÎÏ", "ÓÒÔÖÕ", "ÚÙÛÜ"])
        .flatMap { base, letters in
            zip(letters, ["acute", "grave", "circ", "uml", "tilde"]).map { ("&\(base)\($1);", String($0)) }
        } + [("&ntilde;", "ñ"), ("&Ntilde;", "Ñ")]

    private func firstTag() -> Int { bytes.firstIndex(of: UInt8(ascii: "<")) ?? bytes.count }

    private func starts(with text: StaticString) -> Bool {
        bytes[index...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    /// Returns the index after the next occurrence of the text.
    private func end(of text: StaticString, from start: Int) throws(ReadingError) -> Int {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        var place = start
        // A tag or a section longer than the limit of a text is damage; looking further would take quadratic time.
        let last = min(bytes.count, start + limits.text)
        while place + wanted.count <= last {
            if bytes[place] == wanted[0], bytes[place...].starts(with: wanted) { return place + wanted.count }
            place += 1
        }
        throw ReadingError(
            .syntax, line: line, "a tag does not end (“\(text)” is missing); the file is cut off or damaged")
    }

    private mutating func advance(past end: Int) {
        line += bytes[index..<end].count { $0 == 0x0A }
        index = end
    }
}
