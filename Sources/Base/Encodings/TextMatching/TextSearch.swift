import Foundation

extension String {
    /// Returns the offset of the first literal occurrence, in bytes of UTF-8, or nil. The empty text occurs nowhere.
    package func firstOffset(of wanted: String, from offset: Int = 0) -> Int? {
        withBytes { hay in wanted.withBytes { hay.firstOffset(of: $0, from: offset) } }
    }

    /// Returns true if the text contains a canonically equivalent text (Unicode section 3.7). No text contains the empty
    /// text.
    ///
    /// Foundation's `contains` crashes on some texts with NULs.
    package func containsEquivalent(of other: String) -> Bool {
        if firstOffset(of: other) != nil { return true }
        guard !other.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        return decomposedStringWithCanonicalMapping.firstOffset(of: other.decomposedStringWithCanonicalMapping) != nil
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the offset of the first occurrence, or nil. An empty sequence occurs nowhere.
    package func firstOffset(of wanted: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Int? {
        guard let base = baseAddress, let sought = wanted.baseAddress, !wanted.isEmpty else { return nil }
        var offset = start
        while count - offset >= wanted.count,
            let hit = memchr(base + offset, Int32(sought[0]), count - offset - wanted.count + 1)
        {
            offset = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(hit))
            if memcmp(hit, sought, wanted.count) == 0 { return offset }
            offset += 1
        }
        return nil
    }
}
