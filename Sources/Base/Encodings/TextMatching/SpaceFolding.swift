/// Builds a text piece by piece, folding white space to one space, trimming, and optionally lower-casing. ASCII, which
/// is most of a page, is processed byte by byte.
package struct SpaceFolding: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var room: Int
    private var count = 0
    private let lowersCase: Bool
    /// True while the text is entirely ASCII.
    package private(set) var isASCII = true

    /// - Parameter room: the initial capacity in bytes.
    package init(room: Int = 128, lowersCase: Bool = false) {
        self.room = max(room, 16)
        self.lowersCase = lowersCase
        bytes = .allocate(capacity: self.room)
    }

    deinit { bytes.deallocate() }

    /// Calls a closure with the folded text as UTF-8.
    package func withBytes<Result>(_ body: (Bytes) -> Result) -> Result {
        let endsInSpace = count > 0 && bytes[count - 1] == 0x20
        return body(Bytes(start: bytes, count: endsInSpace ? count - 1 : count))
    }

    package mutating func addSpace() {
        guard count > 0, bytes[count - 1] != 0x20 else { return }
        makeRoom(for: 1)
        put(0x20)
    }

    /// - Parameter piece: UTF-8.
    package mutating func add(_ piece: Bytes) {
        // Folding never lengthens ASCII.
        makeRoom(for: piece.count)
        var index = 0
        while true {
            index = addVisibleASCII(of: piece, from: index)
            guard index < piece.count else { return }
            let byte = piece[index]
            let space = piece.lengthOfSpace(at: index)
            if space > 0 {
                if !piece.isNothing(at: index), count > 0, bytes[count - 1] != 0x20 { put(0x20) }
                index += space
            } else if byte < 0x80 {
                put(byte)
                index += 1
            } else {
                let end = piece[(index + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? piece.count
                add(letter: Bytes(rebasing: piece[index..<end]), makingRoomFor: piece.count - end)
                index = end
            }
        }
    }

    /// - Returns: the index of the first byte that is not visible ASCII.
    private mutating func addVisibleASCII(of piece: Bytes, from start: Int) -> Int {
        var index = start
        var end = bytes + count
        while index < piece.count, piece[index] > 0x20, piece[index] < 0x80 {
            end.pointee = lowersCase ? piece[index].asciiLowercased : piece[index]
            end += 1
            index += 1
        }
        count += index - start
        return index
    }

    /// - Parameter letter: the UTF-8 of one character outside ASCII.
    private mutating func add(letter: Bytes, makingRoomFor rest: Int) {
        isASCII = false
        guard lowersCase, letter.mayHaveCase else {
            for byte in letter { put(byte) }
            return
        }
        for scalar in String(decoding: letter, as: UTF8.self).unicodeScalars {
            let lowered = scalar.properties.lowercaseMapping
            makeRoom(for: lowered.utf8.count + rest)
            for byte in lowered.utf8 { put(byte) }
        }
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    private mutating func makeRoom(for more: Int) {
        guard count + more > room else { return }
        let wider = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * (count + more))
        wider.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = wider
        room = 2 * (count + more)
    }
}

extension Bytes {
    /// False if one character of UTF-8 certainly has no case: the symbols of Latin-1, and the dashes, quotes and
    /// currencies from U+2000 to U+20FF. These are most of a page's characters outside ASCII.
    fileprivate var mayHaveCase: Bool {
        switch self[0] {
        case 0xC2: false
        case 0xE2: count < 2 || self[1] > 0x83
        default: true
        }
    }

    /// Returns the length in bytes of the space at an index, or 0 when another character stands there.
    ///
    /// A space has Unicode's property White_Space (PropList.txt), or no width.
    package func lengthOfSpace(at index: Int) -> Int {
        let first = self[index]
        if first < 0x80 { return first == 0x20 || (0x09...0x0D).contains(first) ? 1 : 0 }
        switch first {
        case 0xC2:
            guard index + 1 < count else { return 0 }
            return [0x85, 0xA0, 0xAD].contains(self[index + 1]) ? 2 : 0
        case 0xE1, 0xE2, 0xE3, 0xEF:
            guard index + 2 < count else { return 0 }
            return Self.isSpace(first, self[index + 1], self[index + 2]) ? 3 : 0
        default: return 0
        }
    }

    /// Returns whether the space at an index has no width: a soft hyphen, which is displayed at the end of a line only, a
    /// zero-width space, a word joiner or a byte order mark.
    fileprivate func isNothing(at index: Int) -> Bool {
        guard self[index] >= 0xC2 else { return false }
        return switch (self[index], self[index + 1]) {
        case (0xC2, 0xAD): true
        case (0xE2, 0x80): self[index + 2] == 0x8B
        case (0xE2, 0x81): self[index + 2] == 0xA0
        case (0xEF, 0xBB): true
        default: false
        }
    }

    private static func isSpace(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second) {
        case (0xE1, 0x9A): third == 0x80  // U+1680
        case (0xE2, 0x80): (0x80...0x8B).contains(third) || third == 0xA8 || third == 0xA9 || third == 0xAF
        case (0xE2, 0x81): third == 0x9F || third == 0xA0  // U+205F, U+2060
        case (0xE3, 0x80): third == 0x80  // U+3000
        case (0xEF, 0xBB): third == 0xBF  // U+FEFF
        default: false
        }
    }
}

extension String {
    /// The text with runs of white space, including no-break spaces, folded to one space and trimmed.
    package var foldingSpace: String {
        withBytes { bytes -> String? in
            if bytes.isPlainlyFolded { return nil }
            var folding = SpaceFolding(room: bytes.count)
            folding.add(bytes)
            return String(folding)
        } ?? self
    }

    package init(_ folding: borrowing SpaceFolding) {
        self = folding.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension Bytes {
    /// True for ASCII with only single spaces between words, which needs no folding.
    fileprivate var isPlainlyFolded: Bool {
        var last: UInt8 = 0x20
        for byte in self {
            guard byte >= 0x20, byte < 0x80, byte != 0x20 || last != 0x20 else { return false }
            last = byte
        }
        return isEmpty || last != 0x20
    }
}
