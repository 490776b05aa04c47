import CLibXML2
import Encodings

/// The names that nearly all tags and attributes have, shared by all documents. A lookup costs one comparison of two
/// integers.
///
/// It holds only pointers, so copying it counts no references.
///
/// Budget: the warm fetch (1.3 times bare libcurl).
struct KnownNames: @unchecked Sendable {
    /// A name of at most sixteen letters as two integers.
    struct Letters: Equatable {
        /// The first and the last eight letters, which overlap in a name of fewer than sixteen. A short name fills
        /// fewer bytes.
        let first: UInt64
        let last: UInt64
        private let count: Int

        /// Returns nil for a longer name.
        init?(_ name: Bytes) {
            let letters = UnsafeRawBufferPointer(name)
            count = letters.count
            switch count {
            case 8...16:
                first = letters.loadUnaligned(as: UInt64.self)
                last = letters.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            case 4...7:
                first = UInt64(letters.loadUnaligned(as: UInt32.self))
                last = UInt64(letters.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            case 1...3:
                first = UInt64(letters[0]) | UInt64(letters[count / 2]) << 8
                last = UInt64(letters[count - 1])
            case 0: (first, last) = (0, 0)
            default: return nil
            }
        }
    }

    struct Known {
        fileprivate let letters: Letters
        let tag: Tag
        /// Never freed.
        let name: InternedName
    }

    static let shared = KnownNames()

    /// Without `disabled`: each page's own dictionary then shows whether anything on the page is disabled.
    private static let attributes = """
        accept action alt aria-describedby aria-hidden aria-label aria-labelledby autocomplete charset checked class
        colspan content coords datetime dir encoding enctype for height hidden href http-equiv id lang label maxlength
        media method multiple name novalidate onclick onload open pattern placeholder property readonly rel required
        role rowspan scope selected shape size sizes src srcset step style tabindex target title type value width wrap
        """

    private static let bits = 9

    /// A hash table with open addressing. It and the list by tag are never freed.
    private let table = UnsafeMutablePointer<Known?>.allocate(capacity: 1 << bits)
    private let byTag = UnsafeMutablePointer<InternedName>.allocate(capacity: Tag.allCases.count)

    private init() {
        table.initialize(repeating: nil, count: 1 << Self.bits)
        for (index, name) in Tag.names.enumerated() {
            (byTag + index).initialize(to: add(name, Tag(rawValue: UInt8(index)) ?? .other))
        }
        for name in Self.attributes.split(whereSeparator: \.isWhitespace) { _ = add(String(name), .other) }
    }

    private func add(_ name: String, _ tag: Tag) -> InternedName {
        let spelling = Array(name.utf8)
        guard let letters = spelling.withUnsafeBufferPointer(Letters.init) else {
            preconditionFailure("\(name) has more than sixteen letters")
        }
        let place = place(of: letters)
        if let known = table[place] { return known.name }
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: spelling.count + 1)
        bytes.initialize(from: spelling + [0], count: spelling.count + 1)
        table[place] = Known(letters: letters, tag: tag, name: InternedName(bytes))
        return InternedName(bytes)
    }

    /// Returns the slot that holds the name, or would hold it.
    private func place(of letters: Letters) -> Int {
        let mixed = (letters.first &* 0xC2B2_AE3D_27D4_EB4F ^ letters.last) &* 0x9E37_79B9_7F4A_7C15
        var place = Int(truncatingIfNeeded: mixed >> UInt64(64 - Self.bits))
        while let known = table[place], known.letters != letters { place = (place + 1) & (1 << Self.bits - 1) }
        return place
    }

    /// Finds a name, given in lower case.
    func find(_ name: Bytes) -> Known? { Letters(name).flatMap { table[place(of: $0)] } }

    subscript(tag: Tag) -> InternedName { byTag[Int(tag.rawValue)] }

    /// The interned form of a name that must be known.
    subscript(name: StaticString) -> InternedName {
        guard let known = find(Bytes(start: name.utf8Start, count: name.utf8CodeUnitCount)) else {
            preconditionFailure("\(name) is not among the known names")
        }
        return known.name
    }
}
