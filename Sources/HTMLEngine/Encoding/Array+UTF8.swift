extension [UInt8] {
    /// Whether the bytes are UTF-8. Only runs of bytes outside ASCII need a closer look, and pages have few.
    var isUTF8: Bool {
        var index = 0
        while index < count {
            let piece = self[index..<Swift.min(index + 64, count)]
            guard piece.reduce(0, |) >= 0x80, let first = piece.firstIndex(where: { $0 >= 0x80 }) else {
                index = piece.endIndex
                continue
            }
            let run = self[first...].prefix { $0 >= 0x80 }
            guard String(validating: run, as: UTF8.self) != nil else { return false }
            index = run.endIndex
        }
        return true
    }
}
