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
