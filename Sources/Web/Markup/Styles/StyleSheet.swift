import Encodings
import Selectors

/// The rules of a `style` element that show or hide elements (CSS Syntax Level 3, section 5; CSS Cascade Level 4, section
/// 6). All other declarations are skipped, and so is a rule whose selector this module does not know, as browsers skip it.
struct StyleSheet {
    /// The effect of a declaration on an element.
    enum Effect: Hashable {
        case display(isShown: Bool)
        case visibility(isShown: Bool)
        /// As visible as the element around it.
        case inheritedVisibility

        var isShown: Bool {
            switch self {
            case .display(let isShown), .visibility(let isShown): isShown
            case .inheritedVisibility: true
            }
        }

        /// True if both set the same property.
        func sets(sameAs other: Effect) -> Bool {
            switch (self, other) {
            case (.display, .display): true
            case (.display, _), (_, .display): false
            default: true
            }
        }
    }

    struct Declaration {
        let effect: Effect
        let isImportant: Bool
    }

    struct Rule {
        /// The selectors as they are written. They are read only where a sheet hides something.
        let prelude: String
        let declarations: [Declaration]
        /// The rank of its layer; ``unlayered`` for a rule in none.
        let layer: Int

        /// The selectors that this module knows, as browsers skip a rule with one that they do not know. A relation to what comes
        /// after an element would be looked for again and again.
        var selectors: [ComplexSelector] {
            ((try? SelectorList(parsing: prelude))?.selectors ?? []).filter { !$0.looksAhead }
        }
    }

    /// Rules in no layer win over those in one (CSS Cascade Level 5, section 6.4).
    static let unlayered = Int.max

    /// In the order of the sheet.
    private(set) var rules: [Rule] = []

    /// Rules beyond this number are not read: a page of a bank has some dozen.
    private static let mostRules = 2000
    private static let deepest = 8

    /// Returns false if a sheet certainly hides nothing, as that of most pages: it sets neither `display` to `none` nor
    /// `visibility` to something else than `visible`. A comment beside the colon counts as hiding.
    ///
    /// Budget: the warm fetch (1.3 times bare libcurl).
    static func mayHide(_ text: String) -> Bool {
        text.withBytes { bytes in
            bytes.indices.contains { colon in
                guard bytes[colon] == UInt8(ascii: ":") else { return false }
                let before = bytes[..<colon].lastIndex { $0 > 0x20 }
                let after = bytes[(colon + 1)...].firstIndex { $0 > 0x20 } ?? bytes.endIndex
                guard let before else { return false }
                if bytes[before] == UInt8(ascii: "/") || bytes[after...].first == UInt8(ascii: "/") { return true }
                let property = bytes[...before]
                if property.endsInWord("display") { return bytes[after...].beginsWithWord("none") }
                return property.endsInWord("visibility") && !bytes[after...].beginsWithWord("visible")
            }
        }
    }

    /// - Parameters:
    ///   - text: the content of a `style` element.
    ///   - layers: the ranks of the page's layers by their names, in the order in which its sheets name them first.
    init(_ text: String, layers: inout [String: Int]) {
        var reader = StyleReader(text)
        read(&reader, layer: Self.unlayered, layers: &layers, depth: 0)
    }

    /// Reads the rules of a sheet or of a block in it.
    private mutating func read(
        _ reader: inout StyleReader, layer: Int, layers: inout [String: Int], depth: Int
    ) {
        while rules.count < Self.mostRules, let part = reader.next() {
            switch part {
            case .statement(let text):
                guard layer == Self.unlayered, let names = Self.condition(of: text, named: "layer") else { continue }
                for name in names.split(separator: ",") { _ = Self.rank(of: name, in: &layers) }
            case .end: return
            case .block(let prelude):
                guard prelude.first == "@" else {
                    add(Self.declarations(in: reader.body(), depth: depth), of: prelude, layer: layer)
                    continue
                }
                let name = Self.condition(of: prelude, named: "layer")
                guard depth < Self.deepest, name != nil || Self.applies(prelude) else {
                    _ = reader.body()
                    continue
                }
                // A layer in another has the other's rank: among the layers of a page the outer ones decide.
                var inner = layer
                if let name, layer == Self.unlayered { inner = Self.rank(of: name, in: &layers) }
                read(&reader, layer: inner, layers: &layers, depth: depth + 1)
            }
        }
    }

    /// Returns what follows the name of an at-rule; nil if the rule has another name.
    private static func condition(of prelude: Substring, named name: String) -> Substring? {
        guard prelude.first == "@" else { return nil }
        let word = prelude.dropFirst().prefix { $0.isLetter || $0 == "-" }
        return word.lowercased() == name ? prelude[word.endIndex...] : nil
    }

    /// Returns whether what a group holds is used. A group that this does not know counts as unused.
    private static func applies(_ prelude: Substring) -> Bool {
        if let query = condition(of: prelude, named: "media") { return MediaQuery.holds(String(query)) }
        guard let feature = condition(of: prelude, named: "supports") else { return false }
        // A page asks for what today's browsers have, and says “not” for those that lack it.
        return !feature.drop { $0.isWhitespace || $0 == "(" }.lowercased().hasPrefix("not")
    }

    /// Returns a layer's rank: a later layer wins over an earlier one. One without a name is a layer by itself.
    private static func rank(of name: Substring, in layers: inout [String: Int]) -> Int {
        let rank = layers.count
        let outermost = name.filter { !$0.isWhitespace }.prefix { $0 != "." }
        let key = outermost.isEmpty ? " \(rank)" : String(outermost)
        if let known = layers[key] { return known }
        layers[key] = rank
        return rank
    }

    private mutating func add(_ declarations: [Declaration], of prelude: Substring, layer: Int) {
        guard !declarations.isEmpty else { return }
        rules.append(Rule(prelude: String(prelude), declarations: declarations, layer: layer))
    }

    /// Reads the declarations of a rule, and those in its groups, which are for the same elements (CSS Nesting Level 1,
    /// section 3).
    private static func declarations(in pieces: [StyleReader.Piece], depth: Int) -> [Declaration] {
        var found: [Declaration] = []
        for piece in pieces {
            if piece.prelude.isEmpty {
                found += declarations(in: piece.content)
            } else if depth < deepest, applies(piece.prelude) {
                var reader = StyleReader(String(piece.content))
                found += declarations(in: reader.body(), depth: depth + 1)
            }
        }
        return found
    }

    /// Reads the declarations of `display` and `visibility` in a rule or in a `style` attribute.
    static func declarations(in body: some StringProtocol) -> [Declaration] {
        body.utf8.split(separator: UInt8(ascii: ";")).compactMap { text in
            guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let property = word(text[..<colon])
            guard property == "display" || property == "visibility" else { return nil }
            var value = word(text[text.index(after: colon)...])
            let isImportant = value.hasSuffix("!important")
            if isImportant { value.removeLast("!important".count) }
            guard !value.isEmpty else { return nil }
            let effect: Effect =
                if property == "display" {
                    .display(isShown: value != "none")
                } else if ["inherit", "unset", "revert", "revert-layer"].contains(value) {
                    .inheritedVisibility
                } else {
                    .visibility(isShown: value != "hidden" && value != "collapse")
                }
            return Declaration(effect: effect, isImportant: isImportant)
        }
    }

    /// Returns a side of a declaration in small letters, without white space.
    private static func word(_ bytes: some Sequence<UInt8>) -> String {
        String(
            decoding: bytes.filter { $0 > 0x20 }.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension Slice<Bytes> {
    /// True if the bytes end with a word in small or capital letters.
    fileprivate func endsInWord(_ word: StaticString) -> Bool {
        suffix(word.utf8CodeUnitCount).beginsWithWord(word)
    }

    /// True if the bytes begin with a word in small or capital letters.
    fileprivate func beginsWithWord(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            count >= word.count && zip(self, word).allSatisfy { $0.asciiLowercased == $1 }
        }
    }
}

extension ComplexSelector {
    fileprivate var looksAhead: Bool {
        parts.contains { part in
            part.compound.simple.contains { simple in
                switch simple {
                case .has: true
                case .is(let list), .not(let list): list.selectors.contains(where: \.looksAhead)
                default: false
                }
            }
        }
    }
}

/// Cuts a style sheet into preludes and blocks.
private struct StyleReader {
    enum Part {
        /// A text that ends in a semicolon, such as `@import`.
        case statement(Substring)
        /// The text before a brace. The block's content comes next.
        case block(Substring)
        /// The brace that ends the block around it.
        case end
    }

    /// A piece of a block.
    struct Piece {
        /// The text before the brace of a group such as `@media`; empty for declarations.
        let prelude: Substring
        let content: Substring
    }

    private let text: String
    private var place: String.Index

    /// - Parameter text: a sheet. Its comments are dropped, and so are the marks of a comment of HTML around it.
    init(_ text: String) {
        self.text = Self.withoutComments(text)
        place = self.text.startIndex
    }

    private static func withoutComments(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = 0
        func begins(_ mark: String) -> Bool { bytes[place...].starts(with: mark.utf8) }
        while place < bytes.count {
            let mark: String? =
                switch bytes[place] {
                case UInt8(ascii: "/"): begins("/*") ? "/*" : nil
                case UInt8(ascii: "<"): begins("<!--") ? "<!--" : nil
                case UInt8(ascii: "-"): begins("-->") ? "-->" : nil
                default: nil
                }
            guard let mark else {
                result.append(bytes[place])
                place += 1
                continue
            }
            result.append(UInt8(ascii: " "))
            place += mark.utf8.count
            guard mark == "/*" else { continue }
            while place < bytes.count, !begins("*/") { place += 1 }
            place += 2
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the next part; nil at the end of the sheet.
    mutating func next() -> Part? {
        let start = place
        while let mark = nextMark() {
            switch mark.byte {
            case UInt8(ascii: ";"): return .statement(text[start..<mark.place].drop { $0.isWhitespace })
            case UInt8(ascii: "}"): return .end
            case UInt8(ascii: "{"): return .block(text[start..<mark.place].drop { $0.isWhitespace })
            default: break
            }
        }
        return nil
    }

    /// Returns the next byte that is neither in a string nor escaped: a backslash lets the one after it end no string and
    /// begin none. Nil at the end of the sheet. Whatever has a meaning here is of ASCII, and so a byte.
    private mutating func nextMark() -> (byte: UInt8, place: String.Index)? {
        let bytes = text.utf8
        var quote: UInt8?
        while place < bytes.endIndex {
            let (byte, here) = (bytes[place], place)
            bytes.formIndex(after: &place)
            switch byte {
            case UInt8(ascii: "\\"): if place < bytes.endIndex { bytes.formIndex(after: &place) }
            case _ where byte == quote: quote = nil
            case _ where quote != nil: break
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            default: return (byte, here)
            }
        }
        return nil
    }

    /// Returns the pieces of the block that has begun, without the rules nested in it.
    mutating func body() -> [Piece] {
        var pieces: [Piece] = []
        var start = place
        var group = text[place..<place]
        var content = place
        var depth = 0
        while let (byte, here) = nextMark() {
            switch byte {
            case UInt8(ascii: "{"):
                if depth == 0 {
                    // The declarations before a nested rule's selector count; the selector itself does not.
                    let end =
                        text.utf8[start..<here].lastIndex(of: UInt8(ascii: ";")).map { text.utf8.index(after: $0) }
                        ?? start
                    pieces.append(Piece(prelude: "", content: text[start..<end]))
                    group = text[end..<here].drop { $0.isWhitespace }
                    content = place
                }
                depth += 1
            case UInt8(ascii: "}"):
                if depth == 0 {
                    pieces.append(Piece(prelude: "", content: text[start..<here]))
                    return pieces
                }
                depth -= 1
                if depth == 0 {
                    if group.first == "@" { pieces.append(Piece(prelude: group, content: text[content..<here])) }
                    start = place
                }
            default: break
            }
        }
        if depth == 0 { pieces.append(Piece(prelude: "", content: text[start...])) }
        return pieces
    }
}
