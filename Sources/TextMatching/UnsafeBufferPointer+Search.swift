import Foundation

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
