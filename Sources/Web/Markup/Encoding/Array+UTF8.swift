extension [UInt8] {
    /// True if the bytes are valid UTF-8. Only runs outside ASCII need decoding, and pages have few.
    package var isUTF8: Bool {
        withUnsafeBytes { bytes in
            var index = 0
            while true {
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                while index < bytes.count, bytes[index] < 0x80 { index += 1 }
                guard index < bytes.count else { return true }
                let run = bytes[index...].prefix { $0 >= 0x80 }
                guard Self.isUTF8(run) else { return false }
                index = run.endIndex
            }
        }
    }

    private static func isUTF8(_ run: Slice<UnsafeRawBufferPointer>) -> Bool {
        var bytes = run.makeIterator()
        var parser = UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &bytes) {
            case .valid: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }
}
