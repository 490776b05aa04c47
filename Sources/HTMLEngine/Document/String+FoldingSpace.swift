extension String {
    /// White space, no-break spaces among it, folded to one space and trimmed.
    var foldingSpace: String {
        var text = self
        return text.withUTF8 { String(foldingSpaceOf: $0) }
    }

    /// - Parameter bytes: UTF-8.
    init(foldingSpaceOf bytes: UnsafeBufferPointer<UInt8>) {
        // What is folded is never longer.
        self.init(unsafeUninitializedCapacity: bytes.count) { Self.fold(bytes, into: $0) }
    }

    private static func fold(_ bytes: UnsafeBufferPointer<UInt8>, into result: UnsafeMutableBufferPointer<UInt8>) -> Int
    {
        var count = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let isVisibleASCII = byte > 0x20 && byte < 0x80
            let space = isVisibleASCII ? 0 : bytes.lengthOfSpace(at: index)
            if space == 0 {
                result[count] = byte
                count += 1
                index += 1
                continue
            }
            index += space
            if count > 0, result[count - 1] != 0x20 {
                result[count] = 0x20
                count += 1
            }
        }
        return count > 0 && result[count - 1] == 0x20 ? count - 1 : count
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// How many bytes of UTF-8 a space at the place takes; 0 where there is none.
    ///
    /// A space has Unicode's property White_Space (PropList.txt), or is one that takes no room (U+200B, U+FEFF).
    fileprivate func lengthOfSpace(at index: Int) -> Int {
        let first = self[index]
        if first < 0x80 { return first == 0x20 || (0x09...0x0D).contains(first) ? 1 : 0 }
        switch first {
        case 0xC2:
            guard index + 1 < count else { return 0 }
            return self[index + 1] == 0x85 || self[index + 1] == 0xA0 ? 2 : 0
        case 0xE1, 0xE2, 0xE3, 0xEF:
            guard index + 2 < count else { return 0 }
            return Self.isSpace(first, self[index + 1], self[index + 2]) ? 3 : 0
        default: return 0
        }
    }

    private static func isSpace(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second) {
        case (0xE1, 0x9A): third == 0x80  // U+1680
        case (0xE2, 0x80): (0x80...0x8B).contains(third) || third == 0xA8 || third == 0xA9 || third == 0xAF
        case (0xE2, 0x81): third == 0x9F  // U+205F
        case (0xE3, 0x80): third == 0x80  // U+3000
        case (0xEF, 0xBB): third == 0xBF  // U+FEFF
        default: false
        }
    }
}
