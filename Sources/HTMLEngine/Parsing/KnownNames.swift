import CLibXML2

/// The names that pages are mostly made of. All documents share them: every tag and every attribute of a page is looked up.
struct KnownNames: Sendable {
    /// A name of at most sixteen letters as two numbers, so that it is told from another one in a step.
    struct Letters: Equatable {
        let high: UInt64
        let low: UInt64

        /// Nil for a longer name; no letter is a NUL.
        init?(_ name: Bytes) {
            guard name.count <= 16 else { return nil }
            var (high, low): (UInt64, UInt64) = (0, 0)
            for byte in name {
                high = high << 8 | low >> 56
                low = low << 8 | UInt64(byte)
            }
            (self.high, self.low) = (high, low)
        }
    }

    struct Known: @unchecked Sendable {
        fileprivate let letters: Letters
        let tag: Tag
        /// Lives as long as the program.
        let name: InternedName
    }

    static let shared = KnownNames()

    private static let attributes = """
        accept action alt aria-describedby aria-hidden aria-label aria-labelledby autocomplete charset checked class
        colspan content coords datetime dir disabled encoding enctype for height hidden href http-equiv id lang label maxlength
        media method multiple name novalidate onclick onload pattern placeholder property readonly rel required role
        rowspan scope selected shape size sizes src srcset step style tabindex target title type value width wrap
        """

    private static let bits: UInt64 = 9

    /// With open addressing.
    private var table = [Known?](repeating: nil, count: 1 << bits)
    private nonisolated(unsafe) var byTag: [InternedName] = []

    private init() {
        for (index, name) in Tag.names.enumerated() { byTag.append(add(name, Tag(rawValue: UInt8(index)) ?? .other)) }
        for name in Self.attributes.split(whereSeparator: \.isWhitespace) { _ = add(String(name), .other) }
    }

    private mutating func add(_ name: String, _ tag: Tag) -> InternedName {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.utf8.count + 1)
        _ = bytes.initialize(from: name.utf8 + [0])
        guard let letters = Letters(Bytes(rebasing: bytes.dropLast())), let start = bytes.baseAddress else {
            preconditionFailure("\(name) has more than sixteen letters")
        }
        var place = Self.place(of: letters)
        while let known = table[place] {
            if known.letters == letters { return known.name }
            place = (place + 1) % table.count
        }
        let known = Known(letters: letters, tag: tag, name: InternedName(start))
        table[place] = known
        return known.name
    }

    private static func place(of letters: Letters) -> Int {
        let mixed = (letters.high &* 0xC2B2_AE3D_27D4_EB4F ^ letters.low) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> (64 - bits))
    }

    /// - Parameter name: in lower case.
    func find(_ name: Bytes) -> Known? {
        guard let letters = Letters(name) else { return nil }
        var place = Self.place(of: letters)
        while let known = table[place] {
            if known.letters == letters { return known }
            place = (place + 1) & (1 << Int(Self.bits) - 1)
        }
        return nil
    }

    subscript(tag: Tag) -> InternedName { byTag[Int(tag.rawValue)] }

    /// - Parameter name: one of the names here.
    subscript(name: StaticString) -> InternedName {
        guard let known = find(Bytes(start: name.utf8Start, count: name.utf8CodeUnitCount)) else {
            preconditionFailure("\(name) is not among the known names")
        }
        return known.name
    }
}
