import CLibXML2

/// A document's names, each with what the parser makes of it.
///
/// libxml2's dictionary holds them, so that two are the same where their addresses are. Most names are of eight letters at
/// most and come again and again: those that came last are told by one number.
struct NameTable {
    private struct Recent {
        var letters: UInt64 = 0
        var tag = Tag.other
        var name: InternedName?
    }

    let dictionary: xmlDictPtr
    let empty: InternedName
    let script: InternedName
    let type: InternedName
    let hidden: InternedName
    let style: InternedName
    let encoding: InternedName
    private var recent = [Recent](repeating: Recent(), count: 64)

    init?(_ dictionary: xmlDictPtr) {
        self.dictionary = dictionary
        guard let empty = Self.intern("", in: dictionary), let script = Self.intern("script", in: dictionary),
            let type = Self.intern("type", in: dictionary), let hidden = Self.intern("hidden", in: dictionary),
            let style = Self.intern("style", in: dictionary), let encoding = Self.intern("encoding", in: dictionary)
        else { return nil }
        self.empty = empty
        self.script = script
        self.type = type
        self.hidden = hidden
        self.style = style
        self.encoding = encoding
    }

    private static func intern(_ name: StaticString, in dictionary: xmlDictPtr) -> InternedName? {
        xmlDictLookup(dictionary, name.utf8Start, Int32(name.utf8CodeUnitCount))
    }

    /// - Parameter name: in lower case.
    mutating func intern(_ name: Bytes) -> InternedName { look(up: name).1 }

    /// - Parameter name: in lower case.
    mutating func look(up name: Bytes) -> (Tag, InternedName) {
        guard let start = name.baseAddress else { return (.other, empty) }
        guard name.count <= 8 else { return (Tag(named: name), lookInDictionary(start, name.count)) }
        // No letter is a NUL: no two names have the same number.
        let letters = name.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let place = Int(truncatingIfNeeded: (letters &* 0x9E37_79B9_7F4A_7C15) >> 58)
        if recent[place].letters == letters, let known = recent[place].name { return (recent[place].tag, known) }
        let found = (Tag(named: name), lookInDictionary(start, name.count))
        recent[place] = Recent(letters: letters, tag: found.0, name: found.1)
        return found
    }

    private func lookInDictionary(_ start: UnsafePointer<UInt8>, _ count: Int) -> InternedName {
        xmlDictLookup(dictionary, start, Int32(count)) ?? empty
    }

    mutating func name(of tag: Tag) -> InternedName { tag.withSpelling { look(up: $0).1 } }
}
