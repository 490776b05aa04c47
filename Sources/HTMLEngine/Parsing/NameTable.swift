import CLibXML2

/// A document's names, each with what the parser makes of it.
///
/// libxml2's dictionary holds them, so that two are the same where their addresses are.
struct NameTable {
    let dictionary: xmlDictPtr
    let empty: InternedName
    let script: InternedName
    let type: InternedName
    let hidden: InternedName
    let style: InternedName
    let encoding: InternedName
    private var known: [InternedName?]

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
        known = [InternedName?](repeating: nil, count: Tag.allCases.count)
        known[Int(Tag.script.rawValue)] = script
    }

    private static func intern(_ name: StaticString, in dictionary: xmlDictPtr) -> InternedName? {
        xmlDictLookup(dictionary, name.utf8Start, Int32(name.utf8CodeUnitCount))
    }

    /// - Parameter name: in lower case.
    func intern(_ name: Bytes) -> InternedName {
        guard let start = name.baseAddress else { return empty }
        return xmlDictLookup(dictionary, start, Int32(name.count)) ?? empty
    }

    /// - Parameter name: in lower case.
    mutating func look(up name: Bytes) -> (Tag, InternedName) {
        let tag = Tag(named: name)
        guard tag != .other else { return (tag, intern(name)) }
        if let known = known[Int(tag.rawValue)] { return (tag, known) }
        let name = intern(name)
        known[Int(tag.rawValue)] = name
        return (tag, name)
    }

    mutating func name(of tag: Tag) -> InternedName {
        if let known = known[Int(tag.rawValue)] { return known }
        return tag.withSpelling { look(up: $0).1 }
    }
}
