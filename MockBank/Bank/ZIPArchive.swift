/// Writes ZIP archives of stored files (PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16).
enum ZIPArchive {
    static func bytes(_ files: [(name: String, content: [UInt8])]) -> [UInt8] {
        var archive: [UInt8] = []
        var directory: [UInt8] = []
        for (name, content) in files {
            let start = archive.count
            // Version 2.0, a name in UTF-8, stored, 1 January 2026.
            var shared: [UInt8] = number(20, 2) + number(0x0800, 2) + number(0, 2) + number(0, 2) + number(0x5C21, 2)
            shared += number(checksum(content), 4) + number(content.count, 4) + number(content.count, 4)
            shared += number(name.utf8.count, 2) + number(0, 2)
            archive += [0x50, 0x4B, 3, 4] + shared + Array(name.utf8) + content
            directory += [0x50, 0x4B, 1, 2] + number(20, 2) + shared
            directory += number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(start, 4) + Array(name.utf8)
        }
        let end = number(0, 4) + number(files.count, 2) + number(files.count, 2)
        return archive + directory + [0x50, 0x4B, 5, 6] + end + number(directory.count, 4) + number(archive.count, 4)
            + number(0, 2)
    }

    private static func number(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// CRC-32 (ISO 3309).
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var rest: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? (rest >> 1) ^ 0xEDB8_8320 : rest >> 1 }
        }
        return Int(~rest)
    }
}
