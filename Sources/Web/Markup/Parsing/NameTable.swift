import CLibXML2
import Encodings

/// A document's interned names, each with its tag.
///
/// Names that are not known beforehand are kept in libxml2's dictionary.
struct NameTable {
    private nonisolated(unsafe) static let script = KnownNames.shared["script"]
    private nonisolated(unsafe) static let type = KnownNames.shared["type"]
    private nonisolated(unsafe) static let hidden = KnownNames.shared["hidden"]
    private nonisolated(unsafe) static let style = KnownNames.shared["style"]
    private nonisolated(unsafe) static let role = KnownNames.shared["role"]
    private nonisolated(unsafe) static let open = KnownNames.shared["open"]
    private nonisolated(unsafe) static let encoding = KnownNames.shared["encoding"]

    private let dictionary: xmlDictPtr
    private let known = KnownNames.shared
    let script = Self.script
    let type = Self.type
    let hidden = Self.hidden
    let style = Self.style
    let role = Self.role
    let open = Self.open
    let encoding = Self.encoding

    init(_ dictionary: xmlDictPtr) {
        self.dictionary = dictionary
    }

    var empty: InternedName { known[.other] }

    /// Interns a name, given in lower case.
    func intern(_ name: Bytes) -> InternedName { look(up: name).1 }

    /// - Parameter name: in lower case.
    func look(up name: Bytes) -> (Tag, InternedName) {
        if let known = known.find(name) { return (known.tag, known.name) }
        guard let start = name.baseAddress else { return (.other, empty) }
        return (.other, xmlDictLookup(dictionary, start, Int32(name.count)) ?? empty)
    }

    func name(of tag: Tag) -> InternedName { known[tag] }
}
